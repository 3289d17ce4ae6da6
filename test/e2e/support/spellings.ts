/** All the ways in which a secret may stand in a text: as it is, escaped for a URL or for JSON, in base64, in hexadecimal. */
export function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const form = new URLSearchParams({ '': secret }).toString().slice(1);
  const escaped = [secret, encodeURI(secret), encodeURIComponent(secret), form, JSON.stringify(secret).slice(1, -1)];
  const encoded = [0, 1, 2].flatMap((shift) => base64At(bytes, shift));
  return [...new Set([...escaped, secret.replaceAll('/', '\\/'), bytes.toString('hex'), ...encoded])];
}

/** The base64 characters that only the secret decides, where it stands behind so many other bytes. */
function base64At(bytes: Uint8Array, shift: number): string[] {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const own = text.slice(Math.ceil((shift * 8) / 6), -1);
  return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
}
