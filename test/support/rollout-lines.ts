import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { RolloutLine } from '../../schemas/judging.ts';

const DIGEST = `sha256:${'a1'.repeat(32)}`;

/** A line of a rollout as the trainer writes it: two memories, three atoms, one response. */
export function rolloutLine(at: number, changes: Readonly<Record<string, unknown>> = {}): RolloutLine {
  const rubric = { correct_use: 'names it once' };
  return {
    response_id: `s0001-p${String(Math.floor(at / 8)).padStart(3, '0')}-g${at % 8}`,
    rollout_digest: DIGEST,
    current_query: 'Where should I go in May?',
    model_facing_memory: [
      { parent_memory_id: 'm1', memory_text: 'The user dislikes crowds. The user has already seen Rome.' },
      { parent_memory_id: 'm2', memory_text: 'The user keeps a red bicycle in the cellar.' },
    ],
    model_response: `Go to a quiet coast without crowds (${at}). Rome you have already seen, so leave it out.`,
    finish: 'stop',
    atomic_rubrics: [
      { atom_id: 'a1', parent_memory_id: 'm1', text: 'The user dislikes crowds.', u_star: 'C', usage_rubric: rubric },
      { atom_id: 'a2', parent_memory_id: 'm1', text: 'The user has already seen Rome.', u_star: 'B', usage_rubric: rubric },
      { atom_id: 'a3', parent_memory_id: 'm2', text: 'The user keeps a red bicycle in the cellar.', u_star: 'A', usage_rubric: rubric },
    ],
    ...changes,
  };
}

/** Writes lines as JSONL, with the trainer's manifest beside them when `manifest` is given. */
export function writeRollout(file: string, lines: readonly unknown[], manifest = false): void {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  writeFileSync(file, text);
  if (!manifest) return;
  const rows = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  writeFileSync(file.replace(/\.jsonl$/, '.json'), JSON.stringify({ digest: DIGEST, responses: lines.length, sha256: { rows } }));
}
