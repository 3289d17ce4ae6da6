// An MCP server that is its own authorization server on the same origin. It knows itself by its own URL and no other.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Handler } from './handler.ts';

export interface OAuthOptions {
  /** The path of the issuer; none where it is the origin itself. */
  issuerPath?: string;
  /** How a client says who it is at the token endpoint. */
  clientAuthentication: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** Compresses what the token endpoint answers. */
  compresses?: boolean;
}

interface Client {
  secret: string | undefined;
  redirectUris: string[];
}

interface Grant {
  clientId: string;
  redirectUri: string;
  challenge: string;
}

/** Redeems what it has issued itself, once, and only for itself. */
export class OAuthServer {
  /** Every `resource` that it was ever asked for. */
  readonly resources: string[] = [];
  /** What must never be seen in a trace. */
  readonly secrets = new Set<string>();
  /** Why it refused, where it did. */
  readonly refusals: string[] = [];
  /** How often each grant was redeemed. */
  readonly redeemed = { authorization_code: 0, refresh_token: 0 };
  private readonly options: OAuthOptions;
  private readonly clients = new Map<string, Client>();
  private readonly codes = new Map<string, Grant>();
  private readonly accessTokens = new Set<string>();
  private readonly refreshTokens = new Map<string, string>();
  private readonly behind: Handler;
  private origin = '';
  private authorizationServer: string | undefined;
  private ownResource = '';

  /** `behind` is what a client with a token gets to. */
  constructor(options: OAuthOptions, behind: Handler) {
    this.options = options;
    this.behind = behind;
  }

  /** Tells it the URL of its own; and the resource that it gives access to, where that is another's. */
  listensAt({ origin }: URL, resource = `${origin}/mcp`): void {
    this.origin = origin;
    this.ownResource = resource;
  }

  /** Leaves the sign-in to another server. */
  trusts({ origin }: URL): void {
    this.authorizationServer = origin;
  }

  /** The access tokens of before are good for nothing any more. */
  expireTokens(): void {
    this.accessTokens.clear();
  }

  readonly listener: Handler = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin);
    const issuerPath = this.options.issuerPath ?? '';
    switch (pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(response, 200, this.resourceMetadata());
      case `/.well-known/oauth-authorization-server${issuerPath}`:
        return json(response, 200, this.serverMetadata());
      case `${issuerPath}/register`:
        return this.register(response, JSON.parse(await text(request)) as { redirect_uris: string[] });
      case `${issuerPath}/authorize`:
        return this.authorize(response, searchParams);
      case `${issuerPath}/token`:
        return this.redeem(request, response, new URLSearchParams(await text(request)));
      case '/mcp':
        return this.admit(request, response);
      default:
        return json(response, 404, { error: 'not_found' });
    }
  };

  private get issuer(): string {
    return this.origin + (this.options.issuerPath ?? '');
  }

  private resourceMetadata(): unknown {
    return {
      resource: this.ownResource,
      authorization_servers: [this.authorizationServer ?? this.issuer],
      bearer_methods_supported: ['header'],
      resource_documentation: 'https://docs.example/oauth',
    };
  }

  private serverMetadata(): unknown {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [this.options.clientAuthentication],
      authorization_response_iss_parameter_supported: true,
    };
  }

  private register(response: ServerResponse, { redirect_uris, ...rest }: { redirect_uris: string[] }): void {
    const clientId = `client-${randomBytes(6).toString('hex')}`;
    const isPublic = this.options.clientAuthentication === 'none';
    const secret = isPublic ? undefined : this.secret('secret');
    this.clients.set(clientId, { secret, redirectUris: redirect_uris });
    json(response, 201, {
      ...rest,
      redirect_uris,
      client_id: clientId,
      client_id_issued_at: 1,
      ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
      registration_access_token: this.secret('registration'),
      registration_client_uri: `${this.issuer}/register/${clientId}`,
    });
  }

  private authorize(response: ServerResponse, asked: URLSearchParams): void {
    const of = (name: string): string => asked.get(name) ?? '';
    const refusal = this.refusalOf([
      ['a client that is not registered', this.clients.has(of('client_id'))],
      ['a foreign redirect URI', !!this.clients.get(of('client_id'))?.redirectUris.includes(of('redirect_uri'))],
      ['no S256 challenge', of('code_challenge_method') === 'S256' && of('code_challenge') !== ''],
      ['a foreign resource', this.isOwn(asked.getAll('resource'))],
    ]);
    if (refusal) return json(response, 400, { error: 'invalid_request', error_description: refusal });
    const code = this.secret('code');
    this.codes.set(code, {
      clientId: of('client_id'),
      redirectUri: of('redirect_uri'),
      challenge: of('code_challenge'),
    });
    const back = new URL(of('redirect_uri'));
    back.searchParams.set('code', code);
    if (asked.has('state')) back.searchParams.set('state', of('state'));
    back.searchParams.set('iss', this.issuer);
    response.writeHead(302, { Location: back.href }).end();
  }

  private redeem(request: IncomingMessage, response: ServerResponse, asked: URLSearchParams): void {
    const of = (name: string): string => asked.get(name) ?? '';
    const clientId = this.authenticated(request, asked);
    const grantType = of('grant_type') as 'authorization_code' | 'refresh_token';
    if (asked.has('code_verifier')) this.secrets.add(of('code_verifier'));
    const grant = this.codes.get(of('code'));
    const challenge = createHash('sha256').update(of('code_verifier')).digest('base64url');
    const refusal = this.refusalOf([
      ['a client that does not show who it is', clientId !== undefined],
      ['a foreign resource', this.isOwn(asked.getAll('resource'))],
      ...(grantType === 'refresh_token'
        ? ([['a refresh token of nobody', this.refreshTokens.get(of('refresh_token')) === clientId]] as const)
        : ([
            ['a code of nobody', grant?.clientId === clientId],
            ['another redirect URI', grant?.redirectUri === of('redirect_uri')],
            ['a verifier that does not fit', grant?.challenge === challenge],
          ] as const)),
    ]);
    if (refusal) return json(response, 400, { error: 'invalid_grant', error_description: refusal });
    this.codes.delete(of('code'));
    this.refreshTokens.delete(of('refresh_token'));
    this.redeemed[grantType]++;
    const [accessToken, refreshToken] = [this.secret('access'), this.secret('refresh')];
    this.accessTokens.add(accessToken);
    this.refreshTokens.set(refreshToken, clientId as string);
    const body = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: refreshToken,
      scope: 'mcp',
    };
    return json(response, 200, body, this.options.compresses);
  }

  private authenticated({ headers }: IncomingMessage, asked: URLSearchParams): string | undefined {
    const [, basic = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
    if (basic !== '') this.secrets.add(basic);
    const [basicId = '', basicSecret = ''] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    const shown = {
      client_secret_basic: { id: basicId, secret: basicSecret },
      client_secret_post: { id: asked.get('client_id') ?? '', secret: asked.get('client_secret') ?? '' },
      none: { id: asked.get('client_id') ?? '', secret: undefined },
    }[this.options.clientAuthentication];
    const client = this.clients.get(shown.id);
    return client && client.secret === shown.secret ? shown.id : undefined;
  }

  private admit(request: IncomingMessage, response: ServerResponse): void {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (this.accessTokens.has(token)) {
      const session = request.headers['mcp-session-id'];
      if (typeof session === 'string') this.secrets.add(session);
      this.behind(request, response);
      return;
    }
    const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
    const error = token === '' ? '' : ', error="invalid_token"';
    request.resume();
    response.setHeader('WWW-Authenticate', `Bearer realm="mcp"${error}, resource_metadata="${metadata}", scope="mcp"`);
    json(response, 401, { error: 'unauthorized' });
  }

  private isOwn(resources: readonly string[]): boolean {
    this.resources.push(...resources);
    return resources.length === 1 && resources[0] === this.ownResource;
  }

  /** The first of these conditions that does not hold. */
  private refusalOf(conditions: readonly (readonly [refusal: string, holds: boolean])[]): string | undefined {
    const refusal = conditions.find(([, holds]) => !holds)?.[0];
    if (refusal !== undefined) this.refusals.push(refusal);
    return refusal;
  }

  /** A secret that has to be spelled with escapes in a URL and in a form. */
  private secret(kind: string): string {
    const secret = `${kind}-${randomBytes(18).toString('base64')}+/=~`;
    this.secrets.add(secret);
    return secret;
  }
}

function json(response: ServerResponse, status: number, body: unknown, isCompressed = false): void {
  const bytes = isCompressed ? gzipSync(JSON.stringify(body)) : Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
  });
  response.end(bytes);
}
