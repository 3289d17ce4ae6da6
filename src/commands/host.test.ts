import { describe, expect, test } from 'vitest';
import { TaskEars } from './follow-task.ts';
import { Host, type HostOptions } from './host.ts';

const made = (options: Partial<HostOptions> = {}) => {
  const told: string[] = [];
  return { host: new Host({ roots: [], told: (text) => told.push(text), ...options }), told };
};

test('roots do not change while it is connected, so it does not say that they do', () => {
  expect(made().host.capabilities['roots']).toEqual({});
});

describe('a page that a server wants visited', () => {
  const page = { mode: 'url', url: 'https://pages.example/e', message: 'Sign', elicitationId: 'e' };
  const answers = { 'elicitation/create': { action: 'accept', content: { name: 'Ada' } } };

  test('is shown, and the answer holds no content', async () => {
    const { host, told } = made({ answers });
    expect(await host.answer('elicitation/create', page)).toEqual({ result: { action: 'accept' } });
    expect(told).toEqual([expect.stringContaining('https://pages.example/e (Sign)')]);
  });

  const never = new Promise<void>(() => undefined);

  test.each([
    ['the person says so', { askVisited: async () => true }, never, true],
    ['the person gives up', { askVisited: async () => false }, never, false],
    ['the server says so', { askVisited: () => new Promise<boolean>(() => undefined) }, Promise.resolve(), true],
    ['it was waited long enough', { patience: 1 }, never, true],
  ])('is visited, or not, when %s', async (_, options, completed, isVisited) => {
    expect(await made(options).host.visited(completed, undefined)).toBe(isVisited);
  });

  test('is not waited for behind Ctrl-C', async () => {
    const stop = new AbortController();
    const waiting = made({ patience: 600_000 }).host.visited(never, stop.signal);
    stop.abort();
    expect(await waiting).toBe(false);
  });

  test('is not asked about any more when the server has told', async () => {
    let wasTold = false;
    const askVisited = (signal: AbortSignal): Promise<boolean> =>
      new Promise(() => signal.addEventListener('abort', () => (wasTold = true)));
    await made({ askVisited }).host.visited(Promise.resolve(), undefined);
    expect(wasTold).toBe(true);
  });
});

describe('what is heard of a task', () => {
  test('is the progress under its own token, as long as it lives', () => {
    const { host } = made();
    const seen: unknown[] = [];
    const ears = new TaskEars(host, ({ progress }) => seen.push(progress));
    host.heard('notifications/progress', { progressToken: ears.progressToken, progress: 1 });
    host.heard('notifications/progress', { progressToken: 'another', progress: 2 });
    ears.close();
    host.heard('notifications/progress', { progressToken: ears.progressToken, progress: 3 });
    expect(seen).toEqual([1]);
  });

  test('is its status, even where that came before it was waited for', async () => {
    const { host } = made();
    const ears = new TaskEars(host, undefined);
    const status = { taskId: 't', status: 'completed' };
    host.heard('notifications/tasks/status', status);
    expect(await ears.wait(600_000, 't', undefined)).toEqual({ told: status });
    const waiting = ears.wait(600_000, 't', undefined);
    host.heard('notifications/tasks/status', { taskId: 'another', status: 'working' });
    host.heard('notifications/tasks/status', status);
    expect(await waiting).toEqual({ told: status });
  });

  test('is waited for no longer than Ctrl-C', async () => {
    const { host } = made();
    const stop = new AbortController();
    const waiting = new TaskEars(host, undefined).wait(600_000, 't', stop.signal);
    stop.abort();
    expect(await waiting).toEqual({ waited: true });
  });
});
