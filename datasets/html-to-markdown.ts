import TurndownService from 'turndown';
import { checkCleanable, normaliseText, TextFault } from './normalise.ts';

const DUPLICATE_NOTE = /^\s*<blockquote>\s*(?:<p>)?\s*(?:<strong>)?\s*Possible Duplicate[\s\S]*?<\/blockquote>/i;

/** Longest run of backticks in a text, so that a fence around it can be one longer. */
function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

function languageOf(element: { getAttribute(name: string): string | null; parentNode: unknown }): string {
  const names = element.getAttribute('class') ?? '';
  return /(?:^|\s)(?:lang(?:uage)?-)([\w+#-]+)/.exec(names)?.[1] ?? '';
}

function createTurndown(): TurndownService {
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', emDelimiter: '*' });
  // Escapes would put backslashes into what people wrote; the text is read as plain Markdown, never rendered again.
  service.escape = (text: string): string => text;
  service.addRule('fence', {
    filter: 'pre',
    replacement: (_content, node) => {
      const element = node as unknown as { textContent: string; getAttribute(name: string): string | null; parentNode: unknown } & {
        querySelector(selector: string): { getAttribute(name: string): string | null; parentNode: unknown } | null;
      };
      const code = element.textContent.replace(/\r\n?/g, '\n').replace(/^\n/, '').replace(/\s+$/, '');
      const inner = element.querySelector('code');
      const language = languageOf(element) || (inner === null ? '' : languageOf(inner));
      const fence = '`'.repeat(Math.max(3, longestTicks(code) + 1));
      return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
    },
  });
  service.addRule('listItem', {
    filter: 'li',
    replacement: (content, node) => {
      const element = node as unknown as {
        parentNode: { nodeName: string; children: ArrayLike<unknown>; getAttribute(name: string): string | null };
        nextSibling: unknown;
      };
      const parent = element.parentNode;
      const start = Number(parent.getAttribute('start') ?? '1');
      const index = Array.from(parent.children).indexOf(node);
      const marker = parent.nodeName === 'OL' ? `${start + index}. ` : '- ';
      const body = content.replace(/^\n+|\n+$/g, '').replace(/\n/g, `\n${' '.repeat(marker.length)}`);
      return `${marker}${body}${element.nextSibling === null ? '' : '\n'}`;
    },
  });
  service.addRule('superscript', { filter: ['sup'], replacement: (content) => (content === '' ? '' : `^${content}`) });
  service.addRule('subscript', { filter: ['sub'], replacement: (content) => (content === '' ? '' : `_${content}`) });
  service.addRule('image', {
    filter: 'img',
    replacement: (_content, node) => {
      const alt = (node as unknown as { getAttribute(name: string): string | null }).getAttribute('alt') ?? '';
      return alt === '' ? '[image]' : `[image: ${alt}]`;
    },
  });
  service.remove(['script', 'style']);
  return service;
}

let shared: TurndownService | undefined;

/** Deepest nesting and most tags that are converted: the converter calls itself for each level and looks again at what stands around each tag. */
const MOST_LEVELS = 200;
const MOST_TAGS = 4000;
const VOID = /^(?:br|hr|img|input|wbr|p|li|td|tr|th)\b/i;

/** Throws for markup that no person wrote: tags nested or repeated without end. */
function checkMarkup(html: string): void {
  let level = 0;
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const next = html.charAt(at + 1);
    if (next === '/') level = Math.max(0, level - 1);
    else if (/[a-z]/i.test(next)) level += VOID.test(html.slice(at + 1, at + 8)) ? 0 : 1;
    tags += 1;
    if (level > MOST_LEVELS || tags > MOST_TAGS)
      throw new TextFault('markup_too_deep', `The markup of the row has more than ${MOST_LEVELS} levels or ${MOST_TAGS} tags.`);
  }
}

/** HTML to Markdown (RULES "Normalisation"): entities unescaped once by the parser, code layout kept, nothing escaped, "Possible Duplicate" note dropped. */
export function htmlToMarkdown(html: string): string {
  checkCleanable(html);
  checkMarkup(html);
  shared ??= createTurndown();
  return normaliseText(shared.turndown(html.replace(/\r\n?/g, '\n').replace(DUPLICATE_NOTE, '')));
}

/** Whether a Stack Exchange answer is a bare link: fewer than `minWords` words are left when links and addresses are taken out. */
export function isLinkOnly(markdown: string, minWords = 6): boolean {
  if (!/https?:\/\//.test(markdown)) return false;
  const rest = markdown.replace(/\[[^\]]*\]\([^)]*\)/g, ' ').replace(/https?:\/\/\S+/g, ' ');
  return (rest.match(/[\p{L}\p{N}]+/gu) ?? []).length < minWords;
}
