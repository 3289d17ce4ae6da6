import type { Command } from 'commander';

/** What a verb was given: its options by name, and its other words in order. */
export interface Given {
  options: Readonly<Record<string, string | boolean | string[] | undefined>>;
  words: readonly string[];
}

export interface Verb {
  name: string;
  summary: string;
  description?: string;
  /** Its arguments and options. */
  define(command: Command): Command;
  /** Its code, loaded when it runs: it does the work and gives the exit code. */
  load(): Promise<{ default: (given: Given) => Promise<number> }>;
}

const traceArgument = [
  '[trace]',
  'a path, an id, or the first 8 characters or more of one; the newest where left out',
] as const;

/** What can be typed. A verb that is not here does not exist. */
export const verbs: readonly Verb[] = [
  {
    name: 'demo',
    summary: 'watch one complete exchange between real processes, step by step',
    define: (command) =>
      command
        .option('--era <era>', 'legacy (2025-11-25, a handshake) or modern (2026-07-28, stateless)', 'legacy')
        .option('--json', 'the outcome as one JSON document')
        .option('--no-color', 'no colours'),
    load: () => import('./verbs/demo.ts'),
  },
  {
    name: 'tap',
    summary: 'start a server, pass every byte both ways, record',
    define: (command) =>
      command
        .usage('[options] -- COMMAND [ARGUMENT…]')
        .argument('<command...>', 'the server, as the host would start it')
        .passThroughOptions()
        .option('--trace <file>', 'record to this file instead of the store')
        .option('--label <name>', 'a name to find the recording by')
        .option('--cwd <dir>', "the server's working directory")
        .option(
          '-e <KEY=VALUE>',
          "add to the server's environment (repeatable)",
          (value: string, all: string[] | undefined) => [...(all ?? []), value],
        )
        .option('--grace <time>', 'how long the server may be silent after its input has ended', '2s')
        .option('--drain <time>', 'how long it is waited for at most while requests are unanswered', '30s')
        .option('--store-limit <size>', 'how much the store may hold; the oldest finished recordings go first', '2GB'),
    load: () => import('./verbs/tap.ts'),
  },
];
