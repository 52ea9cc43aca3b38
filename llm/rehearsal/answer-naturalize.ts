import type { NaturalizePayload } from '../../schemas/payloads.ts';
import type { NaturalizeReply } from '../../schemas/replies/naturalize.ts';
import type { Draw } from './draw.ts';

const SUBJECT =
  /^The user (?=(?:is|has|was|does|doesn't|takes|uses|lives|works|had|got|wants|likes|keeps|owns|feels|needs|tried|started|suffers)\b)/;

/** Whether a sentence is plain enough to share its subject with the one before. */
function joinable(text: string): boolean {
  return SUBJECT.test(text) && text.length <= 110 && !/[,;:]|\band\b|\bwhich\b|\bbecause\b|\bso\b|\bif\b|\bwhen\b/.test(text);
}

/** One paragraph of all atoms in order: some share their subject, some get a linking word, nothing is added or lost. */
export function answerNaturalize(payload: NaturalizePayload, draw: Draw): NaturalizeReply {
  const atoms = [...payload.atoms].sort((a, b) => a.n - b.n).map((atom) => atom.text.replace(/\s+/g, ' ').trim());
  const sentences: string[] = [];
  for (const [at, text] of atoms.entries()) {
    const before = sentences.at(-1);
    const chance = draw.uniform('join', at);
    if (before !== undefined && chance < 0.35 && joinable(before) && joinable(text)) {
      sentences[sentences.length - 1] = `${before.replace(/\.$/, '')} and ${text.replace(SUBJECT, '')}`;
    } else if (before !== undefined && chance > 0.7 && SUBJECT.test(text)) {
      sentences.push(
        text
          .replace(/^The user (is|has|was|does|doesn't|had)\b/, 'The user also $1')
          .replace(/^The user also (does|doesn't)\b/, 'The user $1'),
      );
    } else sentences.push(text);
  }
  return { memory_text: sentences.join(' ') };
}
