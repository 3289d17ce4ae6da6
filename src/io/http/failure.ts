import { isTls } from './not-http.ts';

/** What went wrong at the server, as a client is told. */
export interface Failure {
  status: 502 | 504;
  what: string;
}

/**
 * @param hasAnswered the server had begun to
 * @param begins what came instead of HTTP
 */
export function failureOf(error: NodeJS.ErrnoException, hasAnswered: boolean, begins?: Uint8Array): Failure {
  const { code = '', message } = error;
  if (begins && isTls(begins)) return { status: 502, what: 'it speaks TLS there: is it https: that was meant?' };
  if (/wrong version number|packet length too long|ERR_SSL_.*(?:RECORD|VERSION_NUMBER)/i.test(`${code} ${message}`)) {
    return { status: 502, what: 'it does not speak TLS there: is it http: that was meant?' };
  }
  if (code === 'ETIMEDOUT') return { status: 504, what: 'the connection was not made in time' };
  if (code === 'ECONNREFUSED') return { status: 502, what: 'nobody listens there (ECONNREFUSED)' };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { status: 502, what: `the name cannot be resolved (${code})` };
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return {
      status: 502,
      what: `it closed the connection ${hasAnswered ? 'in the middle of its answer' : 'without an answer'}`,
    };
  }
  if (code === 'NO_HTTP') return { status: 502, what: `what it answered is no HTTP (${message})` };
  const isUntrusted = /CERT|ISSUER|VERIFY/.test(code);
  if (isUntrusted)
    return {
      status: 502,
      what: `its certificate is not trusted: ${message} (${code}); --ca FILE trusts another issuer`,
    };
  return { status: 502, what: `${message}${code === '' || message.includes(code) ? '' : ` (${code})`}` };
}
