import { compareWords } from '../../metrics/text-change.ts';
import type { FieldChange } from '../../metrics/example-change.ts';
import { escapeHtml, htmlPage, htmlTable } from '../html-page.ts';
import type { ChangedExample, DiffReport, OneSided } from '../queries/diff.ts';
import { costPerExample, LEVEL_HEADER, lengthRows, levelRows, whereElse } from './diff-text.ts';

function marked({ before, after }: FieldChange): readonly [string, string] {
  const changes = compareWords(before, after);
  const side = (kind: 'removed' | 'added', tag: 'del' | 'ins'): string =>
    changes
      .flatMap((change) => {
        if (change.kind === 'same') return [escapeHtml(change.text)];
        return change.kind === kind ? [`<${tag}>${escapeHtml(change.text)}</${tag}>`] : [];
      })
      .join('');
  return [side('removed', 'del'), side('added', 'ins')];
}

function pair(change: FieldChange): string {
  const [before, after] = marked(change);
  return `<div class="pair"><div class="soft">${escapeHtml(change.part)}<br>${escapeHtml(change.what)} <code>${escapeHtml(change.where)}</code></div><div>${before}</div><div>${after}</div></div>`;
}

/** Rubrics last: they are long and follow from what stands above them. */
const READING_ORDER: readonly FieldChange['part'][] = ['source', 'derive', 'atomize', 'distractors', 'naturalize', 'rubrics'];

function inReadingOrder(changes: readonly FieldChange[]): readonly FieldChange[] {
  return READING_ORDER.flatMap((part) => changes.filter((change) => change.part === part));
}

function example({ id, size, parts, changes }: ChangedExample, isOpen: boolean): string {
  if (changes === null) return '';
  return `<details${isOpen ? ' open' : ''}><summary><code>${escapeHtml(id)}</code> &nbsp; ${size} words: ${escapeHtml(parts.join(', '))}</summary>${inReadingOrder(
    changes,
  )
    .map((change) => pair(change))
    .join('\n')}</details>`;
}

function oneSided(title: string, header: string, items: readonly OneSided[]): string {
  if (items.length === 0) return '';
  return `<h2>${escapeHtml(title)}</h2>${htmlTable(
    ['example', header],
    items.map((item) => [item.id, whereElse(item)]),
  )}`;
}

function summary(report: DiffReport): string {
  const { before, after, changed, added, withdrawn, unchanged } = report;
  return htmlTable(
    ['', before.name, after.name],
    [
      ['examples', String(before.examples), String(after.examples)],
      ['unchanged / changed / added / withdrawn', '', `${unchanged} / ${changed.length} / ${added.length} / ${withdrawn.length}`],
      ['decided up to the cut-offs', String(before.decided), String(after.decided)],
      ['cost per accepted example', costPerExample(before), costPerExample(after)],
      ['run', before.runId ?? '(export)', after.runId ?? '(export)'],
      ['pipeline', before.pipelineHash.slice(0, 16), after.pipelineHash.slice(0, 16)],
    ],
  );
}

/** How many changed examples are open when the page is. */
const OPEN = 3;

/** The page of a diff: summary, tables, then changed examples side by side, the largest change first. */
export function diffPage(report: DiffReport): string {
  const { before, after, parts, reasons, changed, passToFail, failToPass } = report;
  const title = `${before.name} → ${after.name}`;
  const shown = changed.filter(({ changes }) => changes !== null);
  const flips = [
    ...passToFail.map((flip) => [flip.id, 'passed, falls now', flip.step, flip.reason]),
    ...failToPass.map((flip) => [flip.id, 'fell, passes now', flip.step, flip.reason]),
  ];
  const body = [
    `<h1>${escapeHtml(title)}</h1><p>What the edit did to the data. Removed words are <del>marked</del> on the left, new ones <ins>marked</ins> on the right.</p>`,
    summary(report),
    '<div class="grid"><div><h2>By part</h2>',
    htmlTable(
      ['part', 'examples', 'changes', 'words out', 'words in'],
      parts.map((part) => [part.part, part.examples, part.changes, part.wordsRemoved, part.wordsAdded]),
    ),
    '<h2>Levels of atoms</h2>',
    htmlTable(LEVEL_HEADER, levelRows(report)),
    '</div><div><h2>Lengths</h2>',
    htmlTable(['', 'mean before', 'after', 'median before', 'after'], lengthRows(report.lengths)),
    '<h2>Reasons for rejection</h2>',
    htmlTable(
      ['step', 'reason', 'before', 'after'],
      reasons.map((line) => [line.step, line.reason, line.before, line.after]),
    ),
    '</div></div>',
    flips.length === 0 ? '' : `<h2>Quality assurance</h2>${htmlTable(['example', '', 'step', 'reason'], flips)}`,
    oneSided('Added', 'where the row was before', report.added),
    oneSided('Withdrawn', 'where the row is now', report.withdrawn),
    `<h2>Changed examples</h2><p>${shown.length} of ${changed.length}, the largest change first.</p>`,
    ...shown.map((item, index) => example(item, index < OPEN)),
  ];
  return htmlPage(title, body.join('\n'));
}
