import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fc } from '../../../../test/properties.ts';
import { isStandIn, StandIns, standInSpans } from './stand-in.ts';

const under = (key: string): StandIns => new StandIns((text) => createHmac('sha256', key).update(text).digest('hex'));
const standIns = under('key');

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2lnbmF0dXJl';

describe('a stand-in has the format of the secret', () => {
  test.each<[string, string, RegExp]>([
    ['a text', 'hunter2', /^redacted-token-[0-9a-f]{16}$/],
    ['digits', '4111111111111111', /^redacted-token-[0-9a-f]{16}$/],
    ['a short hexadecimal word', 'facade', /^redacted-token-[0-9a-f]{16}$/],
    [
      'a UUID of version 4',
      '6f1c1c1e-57a5-4f0c-9a55-0a1b2c3d4e5f',
      /^dedac7ed-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    ],
    [
      'a UUID of version 7',
      '01930a2b-57a5-7f0c-9a55-0a1b2c3d4e5f',
      /^dedac7ed-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    ],
    [
      'a UUID in capitals',
      '6F1C1C1E-57A5-4F0C-9A55-0A1B2C3D4E5F',
      /^DEDAC7ED-[0-9A-F]{4}-4[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}$/,
    ],
    ['a URL', 'https://me:pw@host/private?x=1', /^https:\/\/redacted\.invalid\/[0-9a-f]{16}$/],
    ['an e-mail address', 'jane.doe@example.co.uk', /^[0-9a-f]{16}@redacted\.invalid$/],
    ['a date', '1984-02-29', /^2[12]\d\d-\d\d-\d\d$/],
    ['a time in UTC', '2026-07-28T10:11:12Z', /^2[12]\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    [
      'a time with an offset and a fraction',
      '2026-07-28T10:11:12.123456-08:00',
      /^2[12]\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/,
    ],
    ['hexadecimal', 'ab'.repeat(20), /^dedac7ed[0-9a-f]{32}$/],
    ['hexadecimal of odd length in capitals', 'AB'.repeat(20) + 'C', /^DEDAC7ED[0-9A-F]{33}$/],
    ['hexadecimal, very long', 'ab'.repeat(500), /^dedac7ed[0-9a-f]{992}$/],
    ['hexadecimal with its prefix', '0x' + '12'.repeat(16), /^0xdedac7ed[0-9a-f]{24}$/],
    ['base64', Buffer.from('0123456789abcdefghi?').toString('base64'), /^cmVkYWN0ZWQt[0-9a-f]{14}A=$/],
    ['base64 of two marks', 'MDEyMzQ1Njc4OWFiY2RlZg==', /^cmVkYWN0ZWQt[0-9a-f]{9}A==$/],
    ['base64 without padding', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', /^cmVkYWN0ZWQt[0-9a-f]{28}$/],
    ['base64, long', Buffer.alloc(1000, 'secret').toString('base64'), /^cmVkYWN0ZWQt[0-9a-f]{49}A==$/],
    ['a JWT', jwt, /^eyJhbGciOiJub25lIiwicmVkYWN0ZWQiOnRydWV9\.[\w-]{44}\.[0-9a-f]{40}$/],
    ['a path is no base64', '/home/somebody/projects/x1', /^redacted-token-/],
  ])('%s', (_, secret, look) => {
    const standIn = standIns.text(secret, 'token');
    expect(standIn).toMatch(look);
    expect(isStandIn(standIn)).toBe(true);
    expect(standIns.text(standIn, 'key')).toBe(standIn);
    expect(standInSpans(`a ${standIn} b`)).toEqual([{ from: 2, to: 2 + standIn.length }]);
    const encoded = encodeURIComponent(standIn);
    expect(standInSpans(`a=${encoded}&b`)).toEqual([{ from: 2, to: 2 + encoded.length }]);
  });
});

test('a JWT reads as JSON, and says what it is', () => {
  const [header, payload] = standIns
    .text(jwt, 'token')
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  expect(JSON.parse(header as string)).toEqual({ alg: 'none', redacted: true });
  expect(JSON.parse(payload as string)).toEqual({ redacted: expect.stringMatching(/^[0-9a-f]{18}$/) as string });
});

test('base64 reads as base64, and nothing of it is lost', () => {
  const standIn = standIns.text('MDEyMzQ1Njc4OWFiY2RlZg==', 'token');
  expect(Buffer.from(standIn, 'base64').toString('base64')).toBe(standIn);
  expect(Buffer.from(standIn, 'base64').toString('latin1')).toMatch(/^redacted-/);
});

test('dates are dates', () => {
  for (let day = 0; day < 300; day++) {
    const secret = new Date(Date.UTC(1980, 0, 1 + day)).toISOString();
    const standIn = standIns.text(secret, 'value');
    expect(new Date(standIn).toISOString()).toBe(standIn);
    expect(isStandIn(standIn)).toBe(true);
  }
});

describe('a number', () => {
  test.each([
    ['an integer', '4111111111111111', true],
    ['a negative one', '-5', true],
    ['one beyond 2^53', '123456789012345678901234567890', true],
    ['one spelled with an exponent', '1e3', true],
    ['one out of range', '1e999', true],
    ['a fraction', '52.5200', false],
    ['a small fraction', '1e-7', false],
  ])('%s', (_, secret, isInteger) => {
    const standIn = standIns.number(secret);
    expect(standIn).not.toBe(secret);
    expect(standIn).toMatch(isInteger ? /^[1-9]\d{0,8}$/ : /^0\.\d{8}[1-9]$/);
    expect(standIns.number(secret)).toBe(standIn);
  });
});

test('the same secret has the same stand-in, another secret, kind or key another', () => {
  expect(standIns.text('a', 'token')).toBe(under('key').text('a', 'token'));
  expect(standIns.text('a', 'token')).not.toBe(standIns.text('b', 'token'));
  expect(standIns.text('a', 'token')).not.toBe(standIns.text('a', 'session'));
  expect(standIns.text('a', 'token')).not.toBe(under('other').text('a', 'token'));
  expect(standIns.number('17')).not.toBe(under('other').number('17'));
});

test('a secret under two kinds can still be seen to be one', () => {
  const [token, session] = [standIns.text('a', 'token'), standIns.text('a', 'session')];
  expect(token.slice(-16)).toBe(session.slice(-16));
});

test('nothing has no stand-in', () => {
  expect(standIns.text('', 'token')).toBe('');
});

test('many secrets are not remembered for ever, and their stand-ins stay the same', () => {
  let digests = 0;
  const counted = new StandIns((text) => {
    digests++;
    return createHmac('sha256', 'key').update(text).digest('hex');
  });
  for (let count = 0; count < 2; count++) counted.text('again', 'token');
  expect(digests).toBe(1);
  const before = counted.text('first', 'token');
  for (let count = 0; count < 2000; count++) counted.text(`secret ${count}`, 'token');
  expect(counted.text('first', 'token')).toBe(before);
  expect(digests).toBe(2003);
});

test('stand-ins beside one another are one span', () => {
  const standIn = standIns.text('a', 'token');
  expect(standInSpans(`x${standIn}${standIn}`)).toEqual([{ from: 1, to: 1 + 2 * standIn.length }]);
});

test('no text is its own stand-in, and no stand-in shows it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ minLength: 1 }),
        fc.uuid(),
        fc.webUrl(),
        fc.emailAddress(),
        fc.base64String({ minLength: 4 }),
      ),
      (secret) => {
        const standIn = standIns.text(secret, 'token');
        expect(standIn === secret).toBe(false);
        expect(standIns.text(standIn, 'value')).toBe(standIn);
        if (secret.length > 8) expect(standIn.includes(secret)).toBe(false);
        expect(JSON.stringify(standIn)).toBe(`"${standIn}"`);
      },
    ),
  );
});
