import { join } from 'node:path';
import { AnswerPromptLayout, answerMessages } from '../../stages/answer-prompt.ts';
import { parseJsonFile } from '../json-file.ts';
import { packageRoot } from '../package-root.ts';
import { query } from '../project.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { FinishedExample } from '../../schemas/finished-example.ts';
import type { ExampleReport } from '../queries/example.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, labelOf, say, sayJson } from './options.ts';

function hiddenText(record: FinishedExample['record']): readonly string[] {
  return record.memories.flatMap((atom) => {
    const { usage_rubric: rubric } = atom;
    return [
      '',
      `${atom.atom_id}  ${atom.u_star} ${atom.memory_action}  ${atom.text}`,
      `  expected: ${rubric.expected_answer_behavior}`,
      `  correct:  ${rubric.correct_use}`,
      `  under:    ${rubric.under_use}`,
      `  over:     ${rubric.over_use}`,
      `  never:    ${rubric.forbidden_memory_role}`,
      `  scope:    ${rubric.validity_scope}`,
      ...rubric.observable_checks.map((check) => `  check:    ${check}`),
    ];
  });
}

function exampleText(report: ExampleReport, hidden: boolean): string {
  const { source } = report;
  const head = `example ${report.id}: ${report.status}${report.step === null || report.status === 'accepted' ? '' : ` at ${report.step} (${report.reason}: ${report.detail})`}`;
  const from = `from ${source.dataset}, ${source.id} (${source.file} row ${source.row}, licence ${source.license}), ${report.calls.length} calls`;
  const { record } = report;
  if (record === null) return `${head}\n${from}`;
  const blocks = record.memory_blocks.map((block, index) => `[${index + 1}] ${block.memory_text}`);
  return [head, from, '', 'MEMORY', ...blocks, '', 'CURRENT QUERY', record.question, ...(hidden ? hiddenText(record) : [])].join('\n');
}

/** The prompt of evaluation, SFT and rollout; a candidate that became no example has none. */
function promptText(record: FinishedExample['record'] | null, id: string): string {
  if (record === null)
    throw new CliError(`${id} became no example, so it has no prompt. Type \`memcalib show ${id}\` to see why.`, EXIT.usage);
  const layout = AnswerPromptLayout.parse(parseJsonFile(join(packageRoot(), 'schemas', 'generated', 'eval-prompt.json')));
  return answerMessages(layout, record)
    .map(({ role, content }) => `${role}:\n${content}`)
    .join('\n\n');
}

/** `memcalib show ID`: an example as a reader sees it; with --hidden also atoms, levels and rubrics; with --prompt as a model is asked. */
export async function runShow(invocation: Invocation): Promise<number> {
  const report = await query(await configOf(invocation), 'example', { label: labelOf(invocation), id: invocation.positional[0] ?? '' });
  if (isOn(invocation, 'prompt')) say(promptText(report.record, report.id));
  else if (isOn(invocation, 'json')) sayJson(report);
  else say(exampleText(report, isOn(invocation, 'hidden')));
  return EXIT.ok;
}
