import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The absolute path of a file that is named from this folder. */
export const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs Node with these arguments and its whole input in one go, and waits until it has ended and
 * nobody holds its output any more, not even a process that it has started. One that hangs is
 * killed before its test is given up.
 */
export async function run(
  args: readonly string[],
  { input = '', env = {} }: { input?: string | Uint8Array; env?: Record<string, string> } = {},
): Promise<Ending> {
  const program = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    timeout: 55_000,
    killSignal: 'SIGKILL',
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  program.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  program.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  program.stdin.on('error', () => {}); // it may end before it has read everything
  program.stdin.end(input);
  return new Promise((resolve, reject) => {
    program.on('error', reject);
    program.on('close', (code, signal) => {
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      });
    });
  });
}

export interface Message {
  jsonrpc: string;
  id?: string | number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** The messages in a program's output, one a line, and nothing else. */
export function messagesIn(output: string): Message[] {
  if (output === '') return [];
  if (!output.endsWith('\n')) throw new Error('The last line of the output has no end.');
  return output
    .slice(0, -1)
    .split('\n')
    .map((text) => JSON.parse(text) as Message);
}

/** One line of input, with `jsonrpc` filled in. */
export const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

/**
 * What a server answers to each of these inputs, all typed into one process. Between two inputs
 * stands a request that is always answered, so that silence shows as an empty list.
 */
export async function answersTo(
  args: readonly string[],
  inputs: readonly (string | Uint8Array)[],
  always: object,
): Promise<Message[][]> {
  const parts = inputs.flatMap((input, index) => [
    Buffer.from(input),
    Buffer.from(line({ ...always, id: `after ${index}` })),
  ]);
  const { code, stdout } = await run(args, { input: Buffer.concat(parts) });
  if (code !== 0) throw new Error(`The server ended with ${code}.`);
  const answers: Message[][] = [[]];
  for (const message of messagesIn(stdout)) {
    if (message.id === `after ${answers.length - 1}`) answers.push([]);
    else answers.at(-1)?.push(message);
  }
  if (answers.length !== inputs.length + 1) throw new Error('An input swallowed its neighbour.');
  return answers.slice(0, -1);
}
