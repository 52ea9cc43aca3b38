const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text made safe for HTML, wherever it came from. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

const STYLE = `
:root { color-scheme: light; --ink: #1d2329; --soft: #5c6670; --line: #d8dde3; --ground: #fff; --tint: #f4f6f8; --in: #d3f0dc; --out: #fbdcdc; --bar: #3d6fa5; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.5rem 5rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; } h3 { font-size: 1rem; margin: 0 0 .4rem; }
p, .soft { color: var(--soft); margin: .2rem 0 .8rem; }
table { border-collapse: collapse; margin: .3rem 0 1rem; } th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font: 13px ui-monospace, monospace; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0; } summary { padding: .5rem .8rem; cursor: pointer; background: var(--tint); border-radius: 6px; }
.pair { display: grid; grid-template-columns: 9rem 1fr 1fr; gap: .2rem 1rem; padding: .5rem .8rem; border-top: 1px solid var(--line); }
.pair > div { overflow-wrap: anywhere; white-space: pre-wrap; min-width: 0; } .pair .soft { margin: 0; white-space: normal; }
ins { background: var(--in); text-decoration: none; } del { background: var(--out); text-decoration: none; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 0 2.5rem; align-items: start; }
svg { display: block; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg .soft { fill: var(--soft); }
.pair > div + div { border-left: 3px solid var(--out); padding-left: .6rem; } .pair > div + div + div { border-left-color: var(--in); }
@media (max-width: 48rem) { body { padding: 1.2rem 1rem 3rem; } .pair, .grid { grid-template-columns: minmax(0, 1fr); } table { display: block; overflow-x: auto; font-size: 13px; } th, td { padding-right: .5rem; } td { overflow-wrap: anywhere; min-width: 3rem; } }
`;

/** One static page: no script, no request to anywhere. `body` is HTML whose texts are escaped already. */
export function htmlPage(title: string, body: string): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>`,
    `<body>${body}</body></html>`,
    '',
  ].join('\n');
}

/** A table of escaped cells; numbers stand right. */
export function htmlTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cell = (tag: 'td' | 'th', value: string | number): string =>
    `<${tag}${typeof value === 'number' ? ' class="n"' : ''}>${escapeHtml(typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 2 }) : value)}</${tag}>`;
  const numeric = header.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  const head = header.map((name, column) => `<th${numeric[column] === true ? ' class="n"' : ''}>${escapeHtml(name)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((value) => cell('td', value)).join('')}</tr>`).join('\n');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}
