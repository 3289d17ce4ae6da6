import { describe, expect, test } from 'vitest';
import { Opening, type OpeningInput, type OpeningOptions, type OpeningStep } from './opening.ts';

const client = { name: 'test', version: '1' };
const discovered = (...supportedVersions: string[]): OpeningInput => ({
  kind: 'result',
  result: {
    resultType: 'complete',
    supportedVersions,
    capabilities: { tools: {} },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's' } },
  },
});
const initialized = (protocolVersion: unknown): OpeningInput => ({
  kind: 'result',
  result: { protocolVersion, capabilities: {}, serverInfo: { name: 's' }, instructions: 'do' },
});
const error = (code: number, data?: unknown): OpeningInput => ({ kind: 'error', error: { code, message: 'no', data } });

/** What is said step by step, in short. */
function play(options: Partial<OpeningOptions>, inputs: readonly OpeningInput[]): string[] {
  const opening = new Opening({ era: 'auto', client, capabilities: {}, ...options });
  const steps = [opening.begin(), ...inputs.flatMap((input) => opening.feed(input))];
  return steps.map(inShort);
}

function inShort(step: OpeningStep): string {
  if ('ask' in step) return `${step.ask} ${step.revision}`;
  if ('restart' in step) return `restart: ${step.restart}`;
  if ('failed' in step) return `failed: ${step.failed}`;
  return `${step.agreed.era} ${step.agreed.revision}`;
}

const ask = 'server/discover 2026-07-28';
const initialize = 'initialize 2025-11-25';

describe('an era is found out by asking in the modern way first', () => {
  const rows: [name: string, inputs: OpeningInput[], said: string[]][] = [
    ['a modern server', [discovered('2026-07-28')], [ask, 'modern 2026-07-28']],
    ['one of both eras', [discovered('2025-11-25', '2026-07-28')], [ask, 'modern 2026-07-28']],
    ['one that knows newer ones too', [discovered('2026-07-28', '2099-01-01')], [ask, 'modern 2026-07-28']],
    [
      'one that discovers old revisions only',
      [discovered('2025-06-18'), initialized('2025-06-18')],
      [ask, 'initialize 2025-06-18', 'legacy 2025-06-18'],
    ],
    ['a legacy server', [error(-32_601), initialized('2025-03-26')], [ask, initialize, 'legacy 2025-03-26']],
    [
      'one that answers with anything',
      [{ kind: 'result', result: {} }, initialized('2025-11-25')],
      [ask, initialize, 'legacy 2025-11-25'],
    ],
    [
      'one that ends at what it does not know',
      [{ kind: 'gone', why: 'it ended' }, initialized('2025-11-25')],
      [ask, 'restart: it ended', initialize, 'legacy 2025-11-25'],
    ],
    [
      'one that never answers what it does not know',
      [{ kind: 'silence' }, initialized('2024-11-05')],
      [ask, 'restart: it did not answer server/discover', initialize, 'legacy 2024-11-05'],
    ],
    [
      'a modern one that wants another revision',
      [error(-32_022, { supported: ['2026-07-28'] }), discovered('2026-07-28')],
      [ask, ask, 'modern 2026-07-28'],
    ],
    [
      'a modern one with nothing in common',
      [error(-32_022, { supported: ['2099-01-01'] })],
      [
        ask,
        'failed: No revision in common: the server speaks 2099-01-01, wireproof was to speak 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28.',
      ],
    ],
    ['a modern one that wants more', [error(-32_021)], [ask, 'failed: The server refused server/discover: -32021 no']],
    [
      'a legacy one that answers with a revision of nobody',
      [error(-32_601), initialized('1999-01-01')],
      [
        ask,
        initialize,
        'failed: No revision in common: the server speaks 1999-01-01, wireproof was to speak 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25.',
      ],
    ],
    [
      'one that answers nothing, ever',
      [{ kind: 'silence' }, { kind: 'silence' }],
      [ask, 'restart: it did not answer server/discover', initialize, 'failed: The server did not answer initialize.'],
    ],
  ];
  test.each(rows)('%s', (_, inputs, said) => {
    expect(play({}, inputs)).toEqual(said);
  });
});

test('what the user says is done', () => {
  expect(play({ era: 'legacy' }, [initialized('2025-11-25')])).toEqual([initialize, 'legacy 2025-11-25']);
  expect(play({ revision: '2025-03-26' }, [initialized('2025-03-26')])).toEqual([
    'initialize 2025-03-26',
    'legacy 2025-03-26',
  ]);
  expect(play({ era: 'modern' }, [error(-32_601)])[1]).toBe(
    'failed: The server does not speak 2026-07-28: it answered -32601 no.',
  );
  expect(play({ revision: '2025-03-26' }, [initialized('2025-06-18')])[1]).toContain('No revision in common');
});

test('the server is who it says it is', () => {
  const opening = new Opening({ era: 'legacy', client, capabilities: { roots: {} } });
  expect(opening.begin()).toMatchObject({ params: { capabilities: { roots: {} }, clientInfo: client } });
  expect(opening.feed(initialized('2025-11-25'))).toMatchObject([
    { agreed: { server: { name: 's' }, instructions: 'do', capabilities: {} } },
  ]);
  const modern = new Opening({ era: 'modern', client, capabilities: {} });
  modern.begin();
  expect(modern.feed(discovered('2026-07-28'))).toMatchObject([
    { agreed: { server: { name: 's' }, capabilities: { tools: {} } } },
  ]);
});

test('a server that cannot be reached, or wants to know who asks, is not asked again', () => {
  const refused = [{ kind: 'refused', why: 'HTTP 401' }] as const;
  expect(play({}, refused)).toEqual([ask, 'failed: The server cannot be asked: HTTP 401.']);
});
