export const mask = '<secret>';

const secretName =
  /(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|pass|pwd|auth|authorization|bearer|credentials?|cookie|session|signature|sig|code)$/i;
const secretNameAnywhere =
  /(?:api[-_]?key|apikey|token|secret|passw(?:or)?d|authorization|credential|private[-_]?key|access[-_]?key)/i;
/** Shapes that services give their tokens: a known beginning and a long rest. */
const secretValue =
  /^(?:sk-|sk_|pk_|rk_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_|AKIA|ASIA|AIza|ya29\.|eyJ)[\w.~+/=-]{12,}$/;

const looksSecret = (name: string): boolean => secretName.test(name) || secretNameAnywhere.test(name);

/** A command with the arguments masked that look like secrets: by the name of their option, or by their own shape. */
export function maskSecrets(command: readonly string[]): string[] {
  return command.map((word, index) => {
    if (index === 0) return word;
    const before = command[index - 1] as string;
    const isOptionValue = index > 1 && /^--?[a-z]/i.test(before) && !before.includes('=') && !word.startsWith('-');
    if (isOptionValue && looksSecret(before.replace(/^-+/, ''))) return mask;
    return maskWord(word);
  });
}

function maskWord(word: string): string {
  if (secretValue.test(word)) return mask;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return maskUrl(word);
  const header = /^([\w-]+):\s*\S/.exec(word);
  if (header && (looksSecret(header[1] as string) || /^cookie$/i.test(header[1] as string)))
    return `${header[1]}: ${mask}`;
  const equals = word.indexOf('=');
  if (equals < 0) return /^bearer\s+\S/i.test(word) ? `Bearer ${mask}` : word;
  const name = word.slice(0, equals);
  const value = word.slice(equals + 1);
  if (looksSecret(name.replace(/^-+/, ''))) return `${name}=${mask}`;
  return `${name}=${maskWord(value)}`;
}

function maskUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${mask}@`)
    .replace(/([?&#;])([^=&#;]+)=([^&#;]*)/g, (whole, mark: string, name: string, value: string) =>
      looksSecret(name) || secretValue.test(value) ? `${mark}${name}=${mask}` : whole,
    );
}
