import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { WireproofError } from '../../core/wireproof-error.ts';

/** Where systems keep the certificates that they trust. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/**
 * The system's certificates, Node's own, and the user's.
 *
 * @param ca a file with certificates to trust beside the system's
 * @throws WireproofError `bad-usage` where that cannot be read
 */
export function trustedCertificates(ca: string | undefined): string[] | undefined {
  const system = systemCertificates();
  if (ca === undefined) return system && [...tls.rootCertificates, ...system];
  return [...tls.rootCertificates, ...(system ?? []), readCertificates(ca)];
}

function readCertificates(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new WireproofError('bad-usage', `--ca "${file}" cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (/^-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/m.test(text)) return text;
  throw new WireproofError('bad-usage', `--ca "${file}" holds no certificate in PEM (-----BEGIN CERTIFICATE-----).`);
}

function systemCertificates(): string[] | undefined {
  const { getCACertificates } = tls as { getCACertificates?: (type: string) => string[] };
  if (getCACertificates) return [...getCACertificates('system'), ...getCACertificates('extra')];
  const named = [process.env['SSL_CERT_FILE'], process.env['NODE_EXTRA_CA_CERTS']].filter((file) => file !== undefined);
  const found = [...named, ...systemBundles].flatMap((file) => {
    try {
      return [readFileSync(file, 'utf8')];
    } catch {
      return [];
    }
  });
  return found.length > 0 ? found : undefined;
}
