/** Where the id of the latest run of a label lies. */
export function latestRunFact(label: string): string {
  return `latest-run:${label}`;
}
