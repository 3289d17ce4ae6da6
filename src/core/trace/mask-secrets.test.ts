import { describe, expect, test } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

/** Masks the arguments of a program. */
const masked = (...words: readonly string[]): string[] => maskSecrets(['node', ...words]).slice(1);

const long = 'abcdefghijklmnop1234';

describe('is masked', () => {
  test.each<[string[], string[]]>([
    [
      ['--token', 'abc'],
      ['--token', '<secret>'],
    ],
    [['--token=abc'], ['--token=<secret>']],
    [
      ['-token', 'abc'],
      ['-token', '<secret>'],
    ],
    [
      ['--api-key', 'abc', '--port', '1'],
      ['--api-key', '<secret>', '--port', '1'],
    ],
    [
      ['--apiKey', 'abc'],
      ['--apiKey', '<secret>'],
    ],
    [['--apikey=abc'], ['--apikey=<secret>']],
    [
      ['--key', 'abc'],
      ['--key', '<secret>'],
    ],
    [
      ['--access-token', 'abc'],
      ['--access-token', '<secret>'],
    ],
    [
      ['--accessToken', 'abc'],
      ['--accessToken', '<secret>'],
    ],
    [
      ['--authtoken', 'abc'],
      ['--authtoken', '<secret>'],
    ],
    [
      ['--auth', 'user:pass'],
      ['--auth', '<secret>'],
    ],
    [
      ['--password', '123456'],
      ['--password', '<secret>'],
    ],
    [
      ['--password', 'a=b'],
      ['--password', '<secret>'],
    ],
    [
      ['--db_pass', 'abc'],
      ['--db_pass', '<secret>'],
    ],
    [
      ['--dbpass', 'abc'],
      ['--dbpass', '<secret>'],
    ],
    [['--client.secret=abc'], ['--client.secret=<secret>']],
    [
      ['--session-id', 'abc', '--session', 'abc'],
      ['--session-id', '<secret>', '--session', '<secret>'],
    ],
    [
      ['--tokens', 'a,b'],
      ['--tokens', '<secret>'],
    ],
    [
      ['--code', 'abc'],
      ['--code', '<secret>'],
    ],
    [
      ['--auth-code', 'abc'],
      ['--auth-code', '<secret>'],
    ],
    [['OPENAI_API_KEY=abc'], ['OPENAI_API_KEY=<secret>']],
    [
      ['-e', 'GITHUB_TOKEN=abc'],
      ['-e', 'GITHUB_TOKEN=<secret>'],
    ],
    [
      ['-e', 'TOKEN_GITHUB=abc'],
      ['-e', 'TOKEN_GITHUB=<secret>'],
    ],
    [['API_KEY_2=abc'], ['API_KEY_2=<secret>']],
    [['AWS_SECRET_ACCESS_KEY=a/b+c='], ['AWS_SECRET_ACCESS_KEY=<secret>']],
    [['GITHUB_PERSONAL_ACCESS_TOKEN=abc'], ['GITHUB_PERSONAL_ACCESS_TOKEN=<secret>']],
    [['PGPASSWORD=abc'], ['PGPASSWORD=<secret>']],
    [['--env=MY_SECRET=abc'], ['--env=MY_SECRET=<secret>']],
    [
      ['--header', 'Authorization: Bearer abc'],
      ['--header', 'Authorization: <secret>'],
    ],
    [
      ['--header', 'Authorization:Bearer abc'],
      ['--header', 'Authorization: <secret>'],
    ],
    [['--header=X-Api-Key: abc'], ['--header=X-Api-Key: <secret>']],
    [
      ['-H', 'Cookie: a=b; c=d'],
      ['-H', 'Cookie: <secret>'],
    ],
    [['Bearer abc'], ['Bearer <secret>']],
    [
      ['-u', 'me:abc'],
      ['-u', 'me:<secret>'],
    ],
    [['https://me:abc@host/path'], ['https://<secret>@host/path']],
    [['https://abc@host'], ['https://<secret>@host']],
    [['postgres://me:a@b@host:5432/db'], ['postgres://<secret>@host:5432/db']],
    [['https://host/mcp?a=1&token=abc&b=2#x'], ['https://host/mcp?a=1&token=<secret>&b=2#x']],
    [['https://host/mcp?api_key=abc'], ['https://host/mcp?api_key=<secret>']],
    [['https://host/cb#access_token=abc'], ['https://host/cb#access_token=<secret>']],
    [['--url=https://host/mcp?key=abc'], ['--url=https://host/mcp?key=<secret>']],
    [['https://host/6f1c1c1e-57a5-4f0c-9a55-0a1b2c3d4e5f/sse'], ['https://host/<secret>/sse']],
    [['TOKEN=a b c'], ['TOKEN=<secret>']],
    [['https://host/s/NDM4ZjY1ZTQtOWU3Yi00YjQ4LWI0/mcp'], ['https://host/s/<secret>/mcp']],
    [[`sk-${long}`], ['<secret>']],
    [[`--x=ghp_${long}`], ['--x=<secret>']],
    [[`https://host/?x=eyJ${long}`], ['https://host/?x=<secret>']],
    [
      ['--config', '{"apiKey":"abc","model":"x"}'],
      ['--config', '{"apiKey":"<secret>","model":"x"}'],
    ],
    [['--config={"a":{"auth_token" : "a\\"b"}}'], ['--config={"a":{"auth_token" : "<secret>"}}']],
    [[`{"x":"sk-${long}"}`], ['{"x":"<secret>"}']],
    [
      ['-c', 'export TOKEN=abc && node x.js'],
      ['-c', 'export TOKEN=<secret> && node x.js'],
    ],
    [
      ['-c', 'node x.js --token abc  --port 1'],
      ['-c', 'node x.js --token <secret>  --port 1'],
    ],
    [['Server=host;Password=abc'], ['Server=host;Password=<secret>']],
  ])('%j', (words, expected) => {
    expect(masked(...words)).toEqual(expected);
  });
});

describe('is shown', () => {
  test.each([
    ['--port', '8080'],
    ['--author', 'x'],
    ['--keyboard', 'us'],
    ['--monkey', 'x'],
    ['--token-limit', '5'],
    ['--tokenLimit=5'],
    ['--max-tokens', '4096'],
    ['--max-tokens=4096'],
    ['--tokenizer', 'gpt2'],
    ['--secretary', 'x'],
    ['--passive', 'x'],
    ['--bypass', 'x'],
    ['--password-file', '/run/secrets/x'],
    ['--key-file=./key.pem'],
    ['--public-key', 'abc'],
    ['--sort-key', 'name'],
    ['--client-id', 'abc'],
    ['https://host/my-long-page-about-2026-and-more/x'],
    ['--auth-mode', 'strict'],
    ['--auth', 'none'],
    ['--error-code', '5'],
    ['--no-auth', 'server.js'],
    ['--token', '--port', '1'],
    ['--token='],
    ['--token', '${GITHUB_TOKEN}'],
    ['--header', 'Authorization: $AUTH'],
    ['--header', 'Content-Type: application/json'],
    ['-u', '1000:1000'],
    ['server.js', 'token', 'abc'],
    ['https://host:8080/mcp?page=2#top'],
    ['https://host/a/b/2026-11-30/file.json'],
    ['ghcr.io/owner/image@sha256:abc'],
    ['C:\\Users\\x\\server.js'],
    ['{"model":"x","max_tokens":5,"tokenLimit":"5"}'],
    ['[1,2]'],
    ['a b  c'],
    ['-y', '@scope/token-server@1.0.0'],
    ['-y', 'sk-tools'],
    ['x=y=z'],
    ['='],
    [''],
  ])('%j', (...words) => {
    expect(masked(...words)).toEqual(words);
  });
});

test('the program itself is shown, and its first argument is no value of it', () => {
  expect(maskSecrets(['--token', 'abc'])).toEqual(['--token', 'abc']);
  expect(maskSecrets([])).toEqual([]);
});
