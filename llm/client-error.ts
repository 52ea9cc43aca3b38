/** What the client itself cannot do; never used for what a provider did. */
export class ModelClientError extends Error {
  override readonly name = 'ModelClientError';
  readonly code: 'unknown_provider' | 'cancelled' | 'reply_missing' | 'probe_failed';
  constructor(code: ModelClientError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
