import type { JsonObject, JsonValue } from '../../schemas/json.ts';
import { htmlToMarkdown, isLinkOnly } from '../html-to-markdown.ts';
import { stackExchangeLicence } from '../licences.ts';
import {
  completed,
  hasColumn,
  idOf,
  isObject,
  rejected,
  textOf,
  wrongColumns,
  type AdapterContext,
  type AdapterResult,
} from './adapter.ts';

interface Answer {
  readonly id: number;
  readonly author: string;
  readonly authorId: number;
  readonly profile: string;
  readonly score: number;
  readonly isSelected: boolean;
  readonly html: string;
}

/** Readers of Parquet give structs of lists or lists of structs; both are taken. */
function answersOf(value: JsonValue | undefined): readonly Answer[] {
  const list: readonly JsonValue[] = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  return list.filter(isObject).map((item) => ({
    id: Number(item['answer_id'] ?? 0),
    author: textOf(item, 'author') ?? '',
    authorId: Number(item['author_id'] ?? -1),
    profile: textOf(item, 'author_profile') ?? '',
    score: Number(item['pm_score'] ?? 0),
    isSelected: item['selected'] === true || item['selected'] === 'true',
    html: textOf(item, 'text') ?? '',
  }));
}

/** Best answer: the accepted one, then the highest score, then the lowest id (ties are common). */
function bestAnswer(answers: readonly Answer[]): Answer | undefined {
  return [...answers].sort((a, b) => Number(b.isSelected) - Number(a.isSelected) || b.score - a.score || a.id - b.id)[0];
}

/** `ai` of https://ai.stackexchange.com, `stackoverflow` of https://stackoverflow.com, `ai.meta` of https://ai.meta.stackexchange.com. */
function siteOf(url: string): string {
  const host = /^https?:\/\/([^/]+)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  return host.replace(/^www\./, '').replace(/\.(?:stackexchange\.)?com$|\.net$/, '');
}

function urlsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(String) : [];
}

function isDeleted(answer: Answer): boolean {
  return answer.authorId < 0 || answer.profile === '' || /user-deleted/i.test(answer.author);
}

/** Stack Exchange preferences: HTML to Markdown, best answer, asker and answerer named, licence by posting date. */
export function readStackExchange(row: JsonObject, context: AdapterContext): AdapterResult {
  if (!hasColumn(row, 'qid') || !hasColumn(row, 'answers')) return wrongColumns(context, 'qid, question, answers, date, metadata', row);
  const [questionUrl = '', siteUrl = '', askerUrl = ''] = urlsOf(row['metadata']);
  const site = context.source.site ?? siteOf(siteUrl === '' ? questionUrl : siteUrl);
  const qid = idOf(row, 'qid') ?? `${context.origin.file}:${context.origin.row}`;
  const id = `se:${site}:${qid}`;
  if (site === '')
    return rejected(
      context,
      'missing_site',
      'Neither the config nor the metadata names the site, and question ids are unique only within one.',
      id,
    );
  if (/(?:^|\.)meta(?:\.|$)/.test(site)) return rejected(context, 'meta_site', 'Meta sites are about the site, not about its subject.', id);
  const best = bestAnswer(answersOf(row['answers']));
  if (best === undefined) return rejected(context, 'missing_answer', 'The question has no answer.', id);
  if (isDeleted(best))
    return rejected(context, 'deleted_author', 'The author of the best answer is deleted, so it cannot be attributed.', id);
  if (!/\/users\/\d+/.test(askerUrl))
    return rejected(context, 'missing_attribution', 'The asker is not named, so the question cannot be attributed.', id);
  const answer = htmlToMarkdown(best.html);
  if (isLinkOnly(answer)) return rejected(context, 'link_only_answer', 'The best answer is only a link.', id);
  const date = textOf(row, 'date') ?? '';
  const licence = stackExchangeLicence(date);
  return completed(context, {
    sourceId: id,
    groupKey: id,
    domain: 'coding',
    question: htmlToMarkdown(textOf(row, 'question') ?? ''),
    context: [],
    answer,
    licence,
    attribution: `Question ${questionUrl} by ${askerUrl}; answer ${best.id} by ${best.author} (${best.profile}); ${licence}`,
    metadata: {
      site,
      questionUrl,
      askerUrl,
      date,
      answerId: best.id,
      answerAuthor: best.author,
      answerAuthorProfile: best.profile,
      score: best.score,
      accepted: best.isSelected,
    },
  });
}
