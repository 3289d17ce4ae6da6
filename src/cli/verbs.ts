import type { Command } from 'commander';

/** What a verb was given: its options by name, and its other words in order. */
export interface Given {
  options: Readonly<Record<string, string | boolean | string[] | undefined>>;
  words: readonly string[];
  /** Those of the words that stand behind `--`: a command to start. */
  behindDashes: readonly string[];
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

/** An option that may be given more than once. */
const collected = (value: string, all: string[] | undefined): string[] => [...(all ?? []), value];

/** How a server on HTTP is reached. */
const reachOptions = (command: Command): Command =>
  command
    .option('--header <line>', "on HTTP, a line for each request: 'Name: value' (repeatable)", collected)
    .option('--ca <file>', "on HTTP, certificates to trust beside the system's")
    .option('--insecure', 'on HTTP, take any certificate');

/** What of a conversation on HTTP does not reach its recording. */
const redactOptions = (command: Command): Command =>
  command
    .option('--redact-key <name>', 'on HTTP, replace the values of this name in the recording (repeatable)', collected)
    .option('--redact-value <regex>', 'on HTTP, replace what this RE2 expression matches (repeatable)', collected)
    .option('--redact-path <jsonpath>', 'on HTTP, replace what this JSONPath finds (repeatable)', collected)
    .option('--no-redact-secrets', 'on HTTP, record credentials, tokens, sessions and --header lines as they pass');

/** Where a verb that connects records. */
const recordOptions = (command: Command): Command =>
  command
    .option('--trace <file>', 'record to this file instead of the store')
    .option('--label <name>', 'a name for the recording, as ls and show tell it')
    .option('--store-limit <size>', 'how much the store may hold; the oldest finished recordings go first', '2GB');

/** How to sign in to a server on HTTP. */
const signInOptions = (command: Command): Command =>
  command
    .option('--client-id <id>', 'sign in as this client, which the authorization server knows already')
    .option('--client-secret-env <name>', 'the variable of the environment that holds its secret')
    .option('--client-key <file>', 'its private key (PEM), where it has that instead of a secret')
    .option(
      '--client-metadata-url <url>',
      'sign in as the client that this document describes, where that is supported',
    )
    .option('--client-credentials', 'sign in as the client itself; nobody is asked')
    .option('--scope <scopes>', 'ask for these scopes, with spaces between, and no others')
    .option('--redirect-port <port>', 'where the browser comes back to on 127.0.0.1; 0 takes any port', '0')
    .option('--no-browser', 'only print the address to sign in at');

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
    description: [
      'Stand between a host and a server, pass every byte both ways, and record it.',
      'Over stdio it starts the server that stands behind --; over HTTP it is a reverse proxy: --listen PORT --to URL.',
    ].join('\n'),
    define: (command) =>
      command
        .usage('[options] -- COMMAND [ARGUMENT…]\n       wireproof tap [options] --listen [HOST:]PORT --to URL')
        .argument('[command...]', 'the server, as the host would start it')
        .passThroughOptions()
        .option('--trace <file>', 'record to this file instead of the store')
        .option('--label <name>', 'a name for the recording, as ls and show tell it')
        .option('--cwd <dir>', "the server's working directory")
        .option('-e <KEY=VALUE>', "add to the server's environment (repeatable)", collected)
        .option('--listen <[host:]port>', 'listen for HTTP here; 0 takes any port that is free')
        .option('--to <url>', 'the Streamable HTTP server that requests pass to')
        .option('--no-rewrite', "pass the server's own URLs (metadata, redirects, sign-in) as they are")
        .option('--allow-host <name>', 'take requests whose Host is this name (repeatable)', collected)
        .option('--listen-anywhere', 'let other machines reach the listener')
        .option('--ca <file>', "certificates to trust beside the system's")
        .option('--insecure', 'take any certificate')
        .option('--redact-key <name>', 'replace the values of this name in the recording (repeatable)', collected)
        .option('--redact-value <regex>', 'replace what this RE2 expression matches (repeatable)', collected)
        .option('--redact-path <jsonpath>', 'replace what this JSONPath finds (repeatable)', collected)
        .option('--no-redact-secrets', 'record credentials, tokens and sessions as they pass')
        .option('--grace <time>', 'how long the server may be silent after its input has ended', '2s')
        .option('--drain <time>', 'how long it is waited for at most while requests are unanswered', '30s')
        .option('--store-limit <size>', 'how much the store may hold; the oldest finished recordings go first', '2GB'),
    load: () => import('./verbs/tap.ts'),
  },
  {
    name: 'call',
    summary: 'be the host: list what a server offers, call a tool, read a resource, get a prompt',
    description: [
      'Be the host of a server, and record all that passes. With no more than the server, list what it offers.',
      'The server is a URL, a name that a host on this machine has configured (wireproof servers), or a command behind --.',
      'Arguments of a tool are name=value, name:=JSON, one JSON object, @file, or - for standard input.',
    ].join('\n'),
    define: (command) => {
      command
        .usage(
          [
            '[options] [TOOL] [ARGUMENT…] -- COMMAND [ARGUMENT…]',
            'wireproof call [options] URL [TOOL] [ARGUMENT…]',
            'wireproof call [options] [HOST:]NAME [TOOL] [ARGUMENT…]',
          ].join('\n       '),
        )
        .argument('[words...]', 'the server, where it is not behind --; a tool, and its arguments')
        .optionsGroup('What to do:')
        .option('--read <uri>', 'read this resource')
        .option('--prompt <name>', 'get this prompt; its arguments are name=value')
        .option('--complete <argument=begin>', 'with --prompt or --read: what is suggested for an argument')
        .option('--ping', 'only see whether the server answers')
        .option('--watch', 'stay, and print what the server tells of itself: changed lists, resources, log messages')
        .option('--no-validate', 'call a tool with arguments that do not fit its schema, or that is not listed')
        .optionsGroup('What the server may ask:')
        .option('--answer <file>', 'a JSON object of answers, by method')
        .option('--sampling-command <command>', 'answers sampling: gets the request as JSON, prints the text')
        .option('--set-roots <dir>', 'a folder that the server may know of (repeatable)', collected)
        .optionsGroup('How to connect:')
        .option('--era <era>', 'auto, legacy (a handshake) or modern (2026-07-28 and later)', 'auto')
        .option('--revision <date>', 'the one revision of the protocol to speak')
        .option('--timeout <time>', 'how long an answer may take, anew with each sign of progress', '60s')
        .option('--log-level <level>', 'ask for log messages from this level on: debug, info, notice, warning, error …')
        .option('-e <KEY=VALUE>', 'add to the environment of a server that is started (repeatable)', collected)
        .option('--cwd <dir>', 'the working directory of a server that is started');
      reachOptions(command);
      signInOptions(command.optionsGroup('To sign in, on HTTP:'));
      recordOptions(command.optionsGroup('The recording:'));
      redactOptions(command);
      return command
        .optionsGroup('What is printed:')
        .option('--json', 'one JSON document; with --watch, one a line')
        .option('--quiet', 'the result, and what went wrong; nothing else')
        .option('--verbose', 'on stderr, all messages as they pass')
        .option('--no-color', 'no colours')
        .optionsGroup('Options:');
    },
    load: () => import('./verbs/call.ts'),
  },
  {
    name: 'login',
    summary: 'sign in to a server on HTTP, for call and whatever else speaks with it',
    description: [
      'Sign in to a server on HTTP by OAuth: in the browser, or with --client-credentials. Each step is recorded.',
      "The tokens are kept in wireproof's own folder, in a file that only you can read.",
    ].join('\n'),
    define: (command) => {
      signInOptions(command.argument('<server>', 'its URL, or its name in the configuration of a host'));
      reachOptions(command).option('--timeout <time>', 'how long an answer of the server may take', '60s');
      redactOptions(recordOptions(command));
      return command
        .option('--quiet', 'only the address to sign in at, and what went wrong')
        .option('--verbose', 'on stderr, all requests and answers as they pass')
        .option('--no-color', 'no colours');
    },
    load: () => import('./verbs/login.ts'),
  },
  {
    name: 'logout',
    summary: 'forget the sign-in to a server, its registration too, and revoke the tokens',
    define: (command) =>
      command
        .argument('<server>', 'its URL, or its name in the configuration of a host')
        .option('--quiet', 'print only what went wrong')
        .option('--store-limit <size>', 'how much the store may hold; the oldest finished recordings go first', '2GB'),
    load: () => import('./verbs/logout.ts'),
  },
  {
    name: 'show',
    summary: 'the conversation in the terminal, or one record of it whole',
    define: (command) =>
      command
        .argument(...traceArgument)
        .argument('[n]', 'the record to show whole; alone, it is one of the newest recording')
        .option('-f, --follow', 'go on as it happens, until the recording is over')
        .option(
          '--filter <words>',
          'only what fits all of: tool: method: id: from: kind: status: s: c: path: http: or any text',
        )
        .option('--full', 'do not cut lines; a value in them stands up to 1,000 characters, one record ([n]) whole')
        .option(
          '--redact-secrets',
          'show it as its redacted copy would be: credentials, tokens and sessions of HTTP and OAuth replaced',
        )
        .option('--no-redact-secrets', 'show those as they are, and replace only what the next three say')
        .option('--redact-key <name>', 'the same, and the values of this name replaced (repeatable)', collected)
        .option('--redact-value <regex>', 'the same, and what this RE2 expression matches (repeatable)', collected)
        .option('--redact-path <jsonpath>', 'the same, and what this JSONPath finds (repeatable)', collected)
        .option('--json', 'units as JSON lines (docs/show-json.md)')
        .option('--no-color', 'no colours'),
    load: () => import('./verbs/show.ts'),
  },
  {
    name: 'ls',
    summary: 'list the recordings',
    define: (command) => command.option('--json', 'as one JSON document').option('--no-color', 'no colours'),
    load: () => import('./verbs/ls.ts'),
  },
  {
    name: 'servers',
    summary: 'list the servers that the hosts on this machine have configured',
    define: (command) =>
      command
        .argument('[name]', 'only this server, and more of it: name or host:name')
        .option('--json', 'as one JSON document')
        .option('--quiet', 'print only the names, as call takes them')
        .option('--verbose', 'print all there is to know of each')
        .option('--no-color', 'no colours'),
    load: () => import('./verbs/servers.ts'),
  },
  {
    name: 'bytes',
    summary: 'give back the exact bytes of one stream',
    description:
      'Give back the exact bytes of one stream; of a recording of HTTP, all bodies of one side in the order of their records.',
    define: (command) =>
      command
        .argument(...traceArgument)
        .addOption(
          command
            .createOption('--from <stream>', 'whose bytes')
            .choices(['client', 'server', 'stderr'])
            .makeOptionMandatory(),
        )
        .option('--stream <s>', 'on HTTP, only the body of this stream')
        .addOption(
          command
            .createOption('--leg <side>', 'on HTTP, on which side of wireproof, where a body was changed')
            .choices(['client', 'server']),
        )
        .option('-o <file>', 'write to this file instead of stdout')
        .option('--quiet', 'do not say what is missing: the exit code does'),
    load: () => import('./verbs/bytes.ts'),
  },
  {
    name: 'export',
    summary: 'a copy of a recording with secrets replaced',
    description: [
      'Write a copy of a recording in which secrets are replaced: a trace like any other, for show, bytes and verify.',
      '',
      'The recording stays as it is. Stand-ins have the type of what they stand for, and the same secret has the same ' +
        'one in all recordings of a store.',
    ].join('\n'),
    define: (command) =>
      command
        .argument(...traceArgument)
        .addOption(
          command.createOption('--format <format>', 'what it is written as').choices(['trace']).makeOptionMandatory(),
        )
        .option('-o <file>', 'write to this file, which must not be there yet, instead of stdout')
        .option('--redact-secrets', 'replace credentials, tokens and sessions of HTTP and OAuth (as it does by itself)')
        .option('--no-redact-secrets', 'leave them as they are')
        .option('--redact-key <name>', 'replace the values of this name (repeatable)', collected)
        .option('--redact-value <regex>', 'replace what this RE2 expression matches (repeatable)', collected)
        .option('--redact-path <jsonpath>', 'replace what this JSONPath finds (repeatable)', collected),
    load: () => import('./verbs/export.ts'),
  },
  {
    name: 'verify',
    summary: 'prove that nothing is missing and nothing was changed, or name the place',
    description: [
      'Prove that nothing is missing and nothing was changed, or name the place.',
      '',
      'Proven are the bytes of each stream and their order, and that no record is missing. ' +
        'Not proven are times, notes, counts, and the first line of the file. ' +
        'Sums are no signature: who makes them anew can change all.',
    ].join('\n'),
    define: (command) =>
      command
        .argument(...traceArgument)
        .option('--json', 'as one JSON document')
        .option('--quiet', 'print nothing: the exit code says it')
        .option('--no-color', 'no colours'),
    load: () => import('./verbs/verify.ts'),
  },
  {
    name: 'prune',
    summary: 'delete old recordings that are not running',
    define: (command) =>
      command
        .option('--older-than <time>', 'what was started so long ago or longer: 12h, 30d, 4w')
        .option('--dry-run', 'only say what would go')
        .option('--json', 'as one JSON document')
        .option('--quiet', 'print nothing'),
    load: () => import('./verbs/prune.ts'),
  },
];
