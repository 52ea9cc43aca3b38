const BENCHMARK_WORDS = /(?<![\p{L}\p{N}_])(atom|memory[ _-]?id|level|u_star|rubric|distractor|benchmark)s?(?![\p{L}\p{N}_])/giu;

/** Words of this project's own machinery that stand in the block but in none of its atoms, where they are ordinary words (RULES). */
export function strayBenchmarkWords(atoms: readonly string[], block: string): readonly string[] {
  const present = new Set(atoms.flatMap(benchmarkWords));
  return [...new Set(benchmarkWords(block))].filter((word) => !present.has(word));
}

function benchmarkWords(text: string): readonly string[] {
  return [...text.matchAll(BENCHMARK_WORDS)].map((match) => (match[1] ?? '').toLowerCase());
}
