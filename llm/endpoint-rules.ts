import { isIP } from 'node:net';

/** An endpoint that may not be used, with what to change. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly code: 'bad_url' | 'credentials_in_url' | 'plain_http';
  constructor(code: EndpointError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** A base URL that passed the rules of DESIGN §8; `notice` is said once to the user when the endpoint is local. */
export interface CheckedEndpoint {
  readonly url: URL;
  readonly local: boolean;
  readonly notice: string | null;
}

/** Refuses URLs that carry credentials and plain HTTP to anything but loopback and private addresses. */
export function checkEndpoint(provider: string, baseUrl: string, hasKey: boolean): CheckedEndpoint {
  if (!URL.canParse(baseUrl))
    throw new EndpointError('bad_url', `Provider ${provider}: baseUrl is no URL; write something like https://host/v1.`);
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '' || /[?&](api_?key|key|token)=/i.test(url.search)) {
    throw new EndpointError(
      'credentials_in_url',
      `Provider ${provider}: baseUrl holds credentials; take them out and name an environment variable in apiKeyEnv.`,
    );
  }
  const local = isPrivateHost(url.hostname);
  if (url.protocol === 'http:' && !local) {
    throw new EndpointError(
      'plain_http',
      `Provider ${provider}: plain http is only for loopback and private addresses; write https://${url.host}.`,
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EndpointError('bad_url', `Provider ${provider}: baseUrl must begin with https:// or http://.`);
  const notice = local
    ? `Provider ${provider} is the local endpoint ${url.host}${url.protocol === 'http:' ? ', unencrypted' : ''}${hasKey ? '' : ', used without a key'}.`
    : null;
  return { url, local, notice };
}

/** Loopback, private and link-local addresses, and names that cannot be public (no dot, .local, .internal, .lan, .localhost). */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(host) === 6) return host === '::1' || /^f[cd]/.test(host) || /^fe[89ab]/.test(host) || mappedIsPrivate(host);
  if (isIP(host) === 4) return isPrivateIpv4(host);
  return !host.includes('.') || /\.(local|localhost|internal|lan|home\.arpa)$/.test(host);
}

function isPrivateIpv4(host: string): boolean {
  const [a = 0, b = 0] = host.split('.').map(Number);
  return a === 127 || a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168) || (a === 169 && b === 254);
}

function mappedIsPrivate(host: string): boolean {
  const hex = /^::ffff:([0-9a-f]{1,4}):[0-9a-f]{1,4}$/.exec(host)?.[1];
  if (hex === undefined) return false;
  const high = Number.parseInt(hex, 16);
  return isPrivateIpv4(`${high >> 8}.${high & 255}.0.0`);
}
