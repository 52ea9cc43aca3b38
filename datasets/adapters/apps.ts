import type { JsonObject, JsonValue } from '../../schemas/json.ts';
import { normaliseText } from '../normalise.ts';
import { completed, hasColumn, idOf, rejected, textOf, wrongColumns, type AdapterContext, type AdapterResult } from './adapter.ts';
import { looksLikePython } from './python-shape.ts';

/** The list of solutions, which the dataset stores as a JSON text; null when that text cannot be read. */
function solutionsOf(value: JsonValue | undefined): readonly string[] | null {
  if (value === undefined || value === null || value === '') return [];
  let list: unknown = value;
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value);
    } catch {
      return null;
    }
  }
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : null;
}

/** APPS: statement, starter code as context, and the first solution that reads as Python 3. `input_output` is never parsed (integers beyond any limit). */
export function readApps(row: JsonObject, context: AdapterContext): AdapterResult {
  const split = context.source.split;
  const id = `apps:${split}:${idOf(row, 'problem_id', 'id', 'name') ?? `${context.origin.file}:${context.origin.row}`}`;
  if (!hasColumn(row, 'solutions')) {
    if (hasColumn(row, 'description', 'question'))
      return rejected(context, 'missing_reference', 'The problem comes without any solution.', id);
    return wrongColumns(context, 'problem_id, question, solutions, difficulty, url, starter_code', row);
  }
  const solutions = solutionsOf(row['solutions']);
  if (solutions === null) return rejected(context, 'unparsable_solutions', 'The column solutions is no JSON list.', id);
  if (solutions.length === 0) return rejected(context, 'missing_reference', 'The problem comes without any solution.', id);
  const answer = solutions.find((solution) => looksLikePython(solution));
  if (answer === undefined)
    return rejected(context, 'no_parsable_solution', `None of the ${solutions.length} solutions reads as Python 3.`, id);
  const starter = textOf(row, 'starter_code');
  return completed(context, {
    sourceId: id,
    groupKey: id,
    domain: 'coding',
    question: normaliseText(textOf(row, 'question') ?? ''),
    context: starter === null ? [] : [{ speaker: 'other', text: `Starter code:\n\`\`\`python\n${normaliseText(starter)}\n\`\`\`` }],
    answer: `\`\`\`python\n${normaliseText(answer)}\n\`\`\``,
    metadata: { difficulty: textOf(row, 'difficulty'), url: textOf(row, 'url'), solutionCount: solutions.length },
  });
}
