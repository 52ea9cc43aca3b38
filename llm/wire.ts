/** What came back whole from an endpoint, whatever its status. Header names are lower case. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What kept a reply from coming whole. `detail` holds no secrets and no row text. */
export interface TransportFailure {
  readonly kind: 'timeout' | 'network' | 'too_large';
  readonly detail: string;
}

/** One exchange on the wire; nothing a provider does is thrown. */
export type WireOutcome = { readonly reply: WireReply } | { readonly failure: TransportFailure };
