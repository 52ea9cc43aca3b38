/** Where the facts of an endpoint and model lie. */
export function endpointFact(provider: string, model: string): string {
  return `endpoint:${provider}/${model}`;
}
