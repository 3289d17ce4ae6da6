import { describe, expect, test } from 'vitest';
import { HttpClients } from './http-clients.ts';

const address = '127.0.0.1';
const from = (agent: string, more: [string, string][] = []) => ({
  target: '/mcp',
  address,
  lines: [['User-Agent', agent], ...more] as [string, string][],
});
const inSession = (id: string) => from('any', [['mcp-session-id', id]]);

describe('a client is known', () => {
  test('by how it calls itself, as long as it has no session', () => {
    const clients = new HttpClients();
    expect([clients.of(from('a')), clients.of(from('b')), clients.of(from('a'))]).toEqual([1, 2, 1]);
  });

  test('by its session, which keeps the number that it had before', () => {
    const clients = new HttpClients();
    const c = clients.of(from('a'));
    clients.gaveSession(c, 's1');
    expect(clients.of(inSession('s1'))).toBe(c);
    expect(clients.of({ ...inSession('s1'), address: '10.0.0.1' })).toBe(c);
  });

  test('when it comes back with a token, and another with a token of its own is another', () => {
    const clients = new HttpClients();
    const signedIn = (token: string) => from('a', [['authorization', `Bearer ${token}`]]);
    expect([clients.of(from('a')), clients.of(signedIn('1'))]).toEqual([1, 1]);
    expect(clients.of({ ...signedIn('2'), address: '10.0.0.1' })).toBe(2);
  });

  test('by the endpoint that it was told to post to', () => {
    const clients = new HttpClients();
    const c = clients.of(from('a'));
    clients.gaveEndpoint(c, '/messages?sessionId=1');
    expect(clients.of({ ...from('other'), target: '/messages?sessionId=1' })).toBe(c);
    expect(clients.of({ ...from('other'), target: '/messages?sessionId=2' })).not.toBe(c);
  });
});

describe('two that look the same are told apart', () => {
  test('when the first has a session', () => {
    const clients = new HttpClients();
    clients.gaveSession(clients.of(from('a')), 's1');
    expect(clients.of(from('a'))).toBe(2);
    expect(clients.of(inSession('s1'))).toBe(1);
  });

  test('when both open one at the same time', () => {
    const clients = new HttpClients();
    const [one, other] = [clients.of({ ...from('a'), opens: true }), clients.of({ ...from('a'), opens: true })];
    clients.gaveSession(other, 's2');
    clients.gaveSession(one, 's1');
    expect([clients.of(inSession('s1')), clients.of(inSession('s2'))]).toEqual([1, 2]);
  });
});

test('a session that nobody was seen to get is a client like others', () => {
  const clients = new HttpClients();
  const c = clients.of(inSession('before the tap'));
  expect(clients.of(inSession('before the tap'))).toBe(c);
});

test('what is remembered is bounded', () => {
  const clients = new HttpClients();
  for (let at = 0; at < 30_000; at++) clients.gaveSession(clients.of(from(`agent ${at}`)), `session ${at}`);
  expect(clients.of(inSession('session 29999'))).toBe(30_000);
  expect(clients.of(inSession('session 0'))).toBe(30_001);
});
