export const HUB_ERROR_CODES = [
  'gated',
  'bad_token',
  'missing_repo',
  'missing_revision',
  'missing_file',
  'unreachable',
  'rate_limited',
  'server_error',
  'refused',
  'bad_reply',
  'redirect_refused',
  'unsafe_path',
  'nothing_matches',
  'wrong_hash',
  'changed_file',
  'disk_full',
  'busy',
  'bad_pin',
] as const;
export type HubErrorCode = (typeof HUB_ERROR_CODES)[number];

/** A pull that could not be done; the message says what, where and what to type. `retryable`: trying again later can help. */
export class HubError extends Error {
  override readonly name = 'HubError';
  readonly code: HubErrorCode;
  readonly retryable: boolean;

  constructor(code: HubErrorCode, message: string, options: ErrorOptions & { readonly retryable?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
