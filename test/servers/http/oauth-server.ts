// An MCP server that is its own authorization server on the same origin. It knows itself by its own URL and no other.
import { createHash, type KeyObject, randomBytes, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Handler } from './handler.ts';

export interface OAuthOptions {
  /** The path of the issuer; none where it is the origin itself. */
  issuerPath?: string;
  /** How a client says who it is at the token endpoint. */
  clientAuthentication: 'client_secret_basic' | 'client_secret_post' | 'none' | 'private_key_jwt';
  /** By which clients show who they are with `private_key_jwt`. */
  clientKey?: KeyObject;
  /** Compresses what the token endpoint answers. */
  compresses?: boolean;
  /** Its metadata is that of OpenID, behind the issuer's path. */
  isOpenId?: boolean;
  /** Says 401 without saying where the metadata is. */
  saysNothing?: boolean;
  /** Registers nobody. */
  knowsOnly?: Readonly<Record<string, string | undefined>>;
  /** Takes the URL of a document as the id of a client. */
  takesDocuments?: boolean;
  /** What it says of itself instead of the truth. */
  lies?: Record<string, unknown>;
  /** The `iss` that it sends back with the browser; none where it is empty. */
  iss?: string;
  /** It lets nobody in who has not this scope too. */
  needsScope?: string;
}

interface Client {
  secret: string | undefined;
  /** Any that is on this machine, where it is left out. */
  redirectUris?: string[];
}

interface Grant {
  clientId: string;
  redirectUri: string;
  challenge: string;
  scope: string;
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
  /** How often a client got a token for itself. */
  asItself = 0;
  /** Every scope that it was asked for, and every client that asked. */
  readonly scopes: (string | null)[] = [];
  /** What clients said of themselves when they registered. */
  readonly registrations: unknown[] = [];
  /** The paths of all requests but those to the endpoint. */
  readonly paths: string[] = [];
  /** Tokens that were given back. */
  readonly revoked: string[] = [];
  private readonly options: OAuthOptions;
  private readonly clients = new Map<string, Client>();
  private readonly codes = new Map<string, Grant>();
  /** The scope of each. */
  private readonly accessTokens = new Map<string, string>();
  private readonly refreshTokens = new Map<string, { clientId: string; scope: string }>();
  private readonly behind: Handler;
  private origin = '';
  private authorizationServer: string | undefined;
  private ownResource = '';

  /** `behind` is what a client with a token gets to. */
  constructor(options: OAuthOptions, behind: Handler) {
    this.options = options;
    this.behind = behind;
    for (const [id, secret] of Object.entries(options.knowsOnly ?? {})) this.clients.set(id, { secret });
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

  /** And so are the refresh tokens. */
  forgetRefreshTokens(): void {
    this.refreshTokens.clear();
  }

  readonly listener: Handler = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin);
    const issuerPath = this.options.issuerPath ?? '';
    if (pathname !== '/mcp') this.paths.push(pathname);
    const metadata = this.options.isOpenId
      ? `${issuerPath}/.well-known/openid-configuration`
      : `/.well-known/oauth-authorization-server${issuerPath}`;
    switch (pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(response, 200, this.resourceMetadata());
      case metadata:
        return json(response, 200, this.serverMetadata());
      case `${issuerPath}/register`:
        return this.register(response, JSON.parse(await text(request)) as { redirect_uris: string[] });
      case `${issuerPath}/authorize`:
        return this.authorize(response, searchParams);
      case `${issuerPath}/token`:
        return this.redeem(request, response, new URLSearchParams(await text(request)));
      case `${issuerPath}/revoke`:
        return this.revoke(response, new URLSearchParams(await text(request)));
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
      revocation_endpoint: `${this.issuer}/revoke`,
      ...(this.options.knowsOnly ? {} : { registration_endpoint: `${this.issuer}/register` }),
      ...(this.options.takesDocuments ? { client_id_metadata_document_supported: true } : {}),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [this.options.clientAuthentication],
      authorization_response_iss_parameter_supported: true,
      ...this.options.lies,
    };
  }

  private register(response: ServerResponse, { redirect_uris, ...rest }: { redirect_uris: string[] }): void {
    this.registrations.push({ redirect_uris, ...rest });
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
    this.scopes.push(asked.get('scope'));
    if (this.options.takesDocuments && of('client_id').startsWith('https://')) {
      this.clients.set(of('client_id'), { secret: undefined });
    }
    const client = this.clients.get(of('client_id'));
    const isOwn =
      client?.redirectUris?.includes(of('redirect_uri')) ?? of('redirect_uri').startsWith('http://127.0.0.1:');
    const refusal = this.refusalOf([
      ['a client that is not registered', client !== undefined],
      ['a foreign redirect URI', isOwn],
      ['no S256 challenge', of('code_challenge_method') === 'S256' && of('code_challenge') !== ''],
      ['a foreign resource', this.isOwn(asked.getAll('resource'))],
    ]);
    if (refusal) return json(response, 400, { error: 'invalid_request', error_description: refusal });
    const code = this.secret('code');
    this.codes.set(code, {
      clientId: of('client_id'),
      redirectUri: of('redirect_uri'),
      challenge: of('code_challenge'),
      scope: of('scope'),
    });
    const back = new URL(of('redirect_uri'));
    back.searchParams.set('code', code);
    if (asked.has('state')) back.searchParams.set('state', of('state'));
    const { iss = this.issuer } = this.options;
    if (iss !== '') back.searchParams.set('iss', iss);
    response.writeHead(302, { Location: back.href }).end();
  }

  private redeem(request: IncomingMessage, response: ServerResponse, asked: URLSearchParams): void {
    const of = (name: string): string => asked.get(name) ?? '';
    const clientId = this.authenticated(request, asked);
    const grantType = of('grant_type') as keyof OAuthServer['redeemed'] | 'client_credentials';
    if (asked.has('code_verifier')) this.secrets.add(of('code_verifier'));
    const grant = this.codes.get(of('code'));
    const challenge = createHash('sha256').update(of('code_verifier')).digest('base64url');
    const refusal = this.refusalOf([
      ['a client that does not show who it is', clientId !== undefined],
      ['a foreign resource', this.isOwn(asked.getAll('resource'))],
      ...(grantType === 'client_credentials'
        ? []
        : grantType === 'refresh_token'
          ? ([
              ['a refresh token of nobody', this.refreshTokens.get(of('refresh_token'))?.clientId === clientId],
            ] as const)
          : ([
              ['a code of nobody', grant?.clientId === clientId],
              ['another redirect URI', grant?.redirectUri === of('redirect_uri')],
              ['a verifier that does not fit', grant?.challenge === challenge],
            ] as const)),
    ]);
    if (refusal) return json(response, 400, { error: 'invalid_grant', error_description: refusal });
    const scope = grant?.scope ?? this.refreshTokens.get(of('refresh_token'))?.scope ?? of('scope');
    this.codes.delete(of('code'));
    this.refreshTokens.delete(of('refresh_token'));
    if (grantType === 'client_credentials') this.asItself++;
    else this.redeemed[grantType]++;
    const [accessToken, refreshToken] = [this.secret('access'), this.secret('refresh')];
    this.accessTokens.set(accessToken, scope);
    if (grantType !== 'client_credentials')
      this.refreshTokens.set(refreshToken, { clientId: clientId as string, scope });
    const body = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 3600,
      ...(grantType === 'client_credentials' ? {} : { refresh_token: refreshToken }),
      scope: 'mcp',
    };
    return json(response, 200, body, this.options.compresses);
  }

  private revoke(response: ServerResponse, asked: URLSearchParams): void {
    const token = asked.get('token') ?? '';
    this.revoked.push(token);
    this.refreshTokens.delete(token);
    json(response, 200, {});
  }

  private authenticated({ headers }: IncomingMessage, asked: URLSearchParams): string | undefined {
    const [, basic = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
    if (basic !== '') this.secrets.add(basic);
    const [basicId = '', basicSecret = ''] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    const shown = {
      client_secret_basic: { id: basicId, secret: basicSecret },
      client_secret_post: { id: asked.get('client_id') ?? '', secret: asked.get('client_secret') ?? '' },
      none: { id: asked.get('client_id') ?? '', secret: undefined },
      private_key_jwt: { id: this.assertedBy(asked.get('client_assertion') ?? ''), secret: undefined },
    }[this.options.clientAuthentication];
    const client = this.clients.get(shown.id);
    return client && client.secret === shown.secret ? shown.id : undefined;
  }

  /** Who says so in a JWT that is signed with ES256 (RFC 7523, section 2.2). */
  private assertedBy(jwt: string): string {
    const [head = '', claims = '', signature = ''] = jwt.split('.');
    const { clientKey } = this.options;
    if (!clientKey) return '';
    this.secrets.add(jwt);
    const key = { key: clientKey, dsaEncoding: 'ieee-p1363' } as const;
    if (!verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))) return '';
    const { iss, sub, aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
    return iss === sub && [aud].flat().includes(this.issuer) ? String(iss) : '';
  }

  private admit(request: IncomingMessage, response: ServerResponse): void {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const { needsScope } = this.options;
    const scope = this.accessTokens.get(token);
    const isEnough = needsScope === undefined || scope?.split(' ').includes(needsScope) === true;
    if (scope !== undefined && isEnough) {
      const session = request.headers['mcp-session-id'];
      if (typeof session === 'string') this.secrets.add(session);
      this.behind(request, response);
      return;
    }
    const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
    const error = token === '' ? '' : ', error="invalid_token"';
    request.resume();
    if (scope !== undefined) {
      const wanted = `Bearer error="insufficient_scope", scope="${needsScope}", resource_metadata="${metadata}"`;
      response.setHeader('WWW-Authenticate', wanted);
      return json(response, 403, { error: 'insufficient_scope' });
    }
    if (this.options.saysNothing) return json(response, 401, { error: 'unauthorized' });
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
