import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { ProcessFamily } from './process-family.ts';

const started: ChildProcess[] = [];

afterEach(() => {
  for (const { pid } of started.splice(0)) {
    try {
      process.kill(-(pid as number), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
});

/** A shell script that leads a group; settles when it has said a line. */
async function lead(script: string): Promise<{ child: ChildProcess; family: ProcessFamily }> {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, family: new ProcessFamily(child.pid as number) };
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !condition();) {
    if (Date.now() > end) throw new Error('It did not come true.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.skipIf(process.platform === 'win32')('the family of a process', () => {
  test('is the process, its group and its descendants in other groups', async () => {
    const { child, family } = await lead('sleep 100 & setsid sh -c "sleep 100 & echo; wait" & wait');
    expect(family.running()).toContain(child.pid);
    expect(family.running()).toHaveLength(4);
    family.signal('SIGKILL');
    await until(() => family.running().length === 0);
  });

  test('is known when its leader has gone', async () => {
    const { child, family } = await lead('setsid sleep 100 & sleep 100 & echo; wait');
    await until(() => family.running().length === 3);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(family.running()).toHaveLength(2);
    family.signal('SIGTERM');
    await until(() => family.running().length === 0);
  });

  test('is nobody where the process is no child of ours', () => {
    expect(new ProcessFamily(1).running()).toEqual([]);
    expect(new ProcessFamily(process.pid).running()).toEqual([]);
  });

  test('is nobody when it was first looked for after its end', async () => {
    const { child, family } = await lead('echo');
    if (child.exitCode === null) await once(child, 'exit');
    expect(family.running()).toEqual([]);
    family.signal('SIGKILL');
  });
});
