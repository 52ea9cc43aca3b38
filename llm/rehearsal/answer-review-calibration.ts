import type { ReviewCalibrationPayload } from '../../schemas/payloads.ts';
import type { ReviewCalibrationReply } from '../../schemas/replies/review-calibration.ts';
import { contentStems, coverage, words } from '../../stages/text/words.ts';
import { CODING_CONTRACT } from './query/build.ts';

type Atom = ReviewCalibrationPayload['atoms'][number];
type AtomReview = ReviewCalibrationReply['atoms'][number];

const SUPPLIED_SHARE = 0.85;
const PARTLY_SHARE = 0.7;
const KEPT_SHARE = 0.6;

function inQuery(atom: Atom, query: string): AtomReview['in_query'] {
  if (atom.level === 'A' || new Set(contentStems(atom.text)).size < 3) return 'not';
  const share = coverage(atom.text, query);
  return share >= SUPPLIED_SHARE ? 'supplied' : share >= PARTLY_SHARE ? 'partly' : 'not';
}

function reviewAtom(atom: Atom, payload: ReviewCalibrationPayload, query: string): AtomReview {
  const repeated = payload.atoms.find(
    (other) => other.atom !== atom.atom && contentStems(atom.text).length >= 3 && coverage(atom.text, other.text) >= 0.9,
  );
  const legal = atom.level === 'A' ? atom.action === 'ignore' : atom.action !== 'ignore';
  const rubric = Object.values(atom.rubric).flat().join(' ');
  return {
    atom: atom.atom,
    in_query: inQuery(atom, query),
    gives_away: 'none',
    legitimate_use: atom.level === 'A' ? 'none' : atom.level === 'B' ? 'bounded' : 'direct',
    distinct: repeated === undefined ? 'pass' : 'fail',
    level: legal ? 'pass' : 'fail',
    rubric: coverage(atom.text, rubric) >= 0.15 ? 'pass' : 'fail',
    reason: repeated === undefined ? 'level and rubric fit what an answer could do with it' : `says what ${repeated.atom} says`,
  };
}

function reviewBlock(
  block: ReviewCalibrationPayload['blocks'][number],
  payload: ReviewCalibrationPayload,
): ReviewCalibrationReply['blocks'][number] {
  const texts = payload.atoms.filter((atom) => block.atoms.includes(atom.atom)).map((atom) => atom.text);
  const lost = texts.some((text) => coverage(text, block.memory_text) < KEPT_SHARE);
  const added = coverage(block.memory_text, texts.join(' ')) < KEPT_SHARE;
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
  const coherent = words(query).length >= 3;
  return {
    query: {
      coherent: coherent ? 'pass' : 'fail',
      answerable: coherent ? 'pass' : 'fail',
      reason: coherent ? 'asks one thing that can be answered' : 'asks nothing',
    },
    atoms: payload.atoms.slice(0, 63).map((atom) => reviewAtom(atom, payload, query)),
    blocks: payload.blocks.slice(0, 20).map((block) => reviewBlock(block, payload)),
  };
}
