import type { ReviewCalibrationPayload } from '../../schemas/payloads.ts';
import type { ReviewCalibrationReply } from '../../schemas/replies/review-calibration.ts';
import { words } from '../../stages/text/words.ts';
import { CODING_CONTRACT } from './query/build.ts';
import { share, stemSet } from './text/stem-set.ts';

type Atom = ReviewCalibrationPayload['atoms'][number];
type AtomReview = ReviewCalibrationReply['atoms'][number];

const SUPPLIED_SHARE = 0.85;
const PARTLY_SHARE = 0.7;
const KEPT_SHARE = 0.6;
const REPEATED_SHARE = 0.9;
const SUPPORT_SHARE = 0.15;

/** An atom with its stems, taken once. */
interface Stemmed {
  readonly atom: Atom;
  readonly stems: ReadonlySet<string>;
}

function inQuery({ atom, stems }: Stemmed, query: ReadonlySet<string>): AtomReview['in_query'] {
  if (atom.level === 'A' || stems.size < 3) return 'not';
  const supplied = share(stems, query);
  return supplied >= SUPPLIED_SHARE ? 'supplied' : supplied >= PARTLY_SHARE ? 'partly' : 'not';
}

function reviewAtom(own: Stemmed, all: readonly Stemmed[], query: ReadonlySet<string>): AtomReview {
  const { atom, stems } = own;
  const repeated = stems.size < 3 ? undefined : all.find((other) => other !== own && share(stems, other.stems) >= REPEATED_SHARE);
  const legal = atom.level === 'A' ? atom.action === 'ignore' : atom.action !== 'ignore';
  const rubric = stemSet(Object.values(atom.rubric).flat().join(' '));
  return {
    atom: atom.atom,
    in_query: inQuery(own, query),
    gives_away: 'none',
    legitimate_use: atom.level === 'A' ? 'none' : atom.level === 'B' ? 'bounded' : 'direct',
    distinct: repeated === undefined ? 'pass' : 'fail',
    level: legal ? 'pass' : 'fail',
    rubric: share(stems, rubric) >= SUPPORT_SHARE ? 'pass' : 'fail',
    reason: repeated === undefined ? 'level and rubric fit what an answer could do with it' : `says what ${repeated.atom.atom} says`,
  };
}

function reviewBlock(block: ReviewCalibrationPayload['blocks'][number], all: readonly Stemmed[]): ReviewCalibrationReply['blocks'][number] {
  const own = all.filter(({ atom }) => block.atoms.includes(atom.atom));
  const memory = stemSet(block.memory_text);
  const lost = own.some(({ stems }) => share(stems, memory) < KEPT_SHARE);
  const added = share(memory, new Set(own.flatMap(({ stems }) => [...stems]))) < KEPT_SHARE;
  return {
    block: block.block,
    keeps_all: lost ? 'fail' : 'pass',
    adds_none: added ? 'fail' : 'pass',
    reason: lost ? 'one proposition is missing' : added ? 'says more than its atoms' : 'says what its atoms say',
  };
}

/** Review by counting words: what the query supplies, whether blocks keep their atoms, whether level and rubric fit. */
export function answerReviewCalibration(payload: ReviewCalibrationPayload): ReviewCalibrationReply {
  const query = payload.query.replace(CODING_CONTRACT, '').trim();
  const all = payload.atoms.map((atom) => ({ atom, stems: stemSet(atom.text) }));
  const asked = stemSet(query);
  const coherent = words(query).length >= 3;
  return {
    query: {
      coherent: coherent ? 'pass' : 'fail',
      answerable: coherent ? 'pass' : 'fail',
      reason: coherent ? 'asks one thing that can be answered' : 'asks nothing',
    },
    atoms: all.slice(0, 63).map((own) => reviewAtom(own, all, asked)),
    blocks: payload.blocks.slice(0, 20).map((block) => reviewBlock(block, all)),
  };
}
