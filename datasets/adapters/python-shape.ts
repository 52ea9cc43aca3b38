const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Index after the string literal that begins at `at`, or -1 when it never ends. */
function afterString(code: string, at: number): number {
  const quote = code.startsWith(code.charAt(at).repeat(3), at) ? code.charAt(at).repeat(3) : code.charAt(at);
  for (let i = at + quote.length; i < code.length; i += 1) {
    if (code[i] === '\\') i += 1;
    else if (code.startsWith(quote, i)) return i + quote.length;
    else if (quote.length === 1 && code[i] === '\n') return -1;
  }
  return -1;
}

/** The code with strings and comments blanked, or null when a string or bracket is left open. */
function skeleton(code: string): string | null {
  const open: string[] = [];
  let out = '';
  for (let i = 0; i < code.length;) {
    const char = code.charAt(i);
    if (char === '#') {
      const end = code.indexOf('\n', i);
      i = end < 0 ? code.length : end;
    } else if (char === '"' || char === "'") {
      const end = afterString(code, i);
      if (end < 0) return null;
      out += '""';
      i = end;
    } else {
      if ('([{'.includes(char)) open.push(char);
      else if (PAIRS[char] !== undefined && open.pop() !== PAIRS[char]) return null;
      out += open.length > 0 && char === '\n' ? ' ' : char;
      i += 1;
    }
  }
  return open.length === 0 ? out : null;
}

/**
 * Whether a text has the shape of a Python 3 program: strings and brackets close, block headers end in a colon and have a body,
 * and no statement of Python 2 (print without parentheses, exec, backquotes, <>) occurs. A shape test, no parser.
 */
export function looksLikePython(code: string): boolean {
  const bare = skeleton(code.replace(/\r\n?/g, '\n'));
  if (bare === null || bare.trim() === '') return false;
  if (/^\s*print[ \t]+[^(=\s]|^\s*exec[ \t]+""|<>|`|\braw_input\b|\bxrange\b/m.test(bare)) return false;
  const lines = bare
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.every((line, at) => {
    const header = /^(\s*)(?:(?:async\s+)?(?:def|class|for|while|if|elif|else|try|except|finally|with))\b/.exec(line);
    if (header === null) return true;
    const tail = line.trimEnd();
    if (!tail.includes(':')) return false;
    if (!tail.endsWith(':')) return true;
    const next = lines[at + 1];
    return next !== undefined && (/^\s*/.exec(next)?.[0].length ?? 0) > (header[1]?.length ?? 0);
  });
}
