/** Takes code spans, links and quotations out of a text, so that rewriting cannot touch them; `restore` puts them back byte for byte. */
export function shield(text: string): { readonly text: string; restore(rewritten: string): string } {
  const kept: string[] = [];
  const shielded = text.replace(/`[^`]+`|\$[^$\n]+\$|"[^"\n]{1,120}"|“[^”\n]{1,120}”|https?:\/\/\S+/g, (span) => {
    kept.push(span);
    return `\uE000${String.fromCharCode(0xe100 + kept.length - 1)}`;
  });
  return {
    text: shielded,
    restore: (rewritten) => rewritten.replace(/\uE000([\uE100-\uE7FF])/g, (_, mark: string) => kept[mark.charCodeAt(0) - 0xe100] ?? ''),
  };
}
