// A Streamable HTTP server for both eras made with the official SDK, v2. It has what the official conformance suite asks
// of a server (the tools, prompts and resources are the suite's own words), and sessions with resumption in the legacy era.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  type EventStore,
  fromJsonSchema,
  hostHeaderValidationResponse,
  type InputRequests,
  inputRequired,
  isLegacyRequest,
  type JSONRPCMessage,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  ResourceTemplate,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { z } from 'zod';
import { pause } from '../../e2e/support/until.ts';
import { fetchListener } from './fetch-listener.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const described = { description: 'Something for the suite to use.' };
const noArguments = { ...described, inputSchema: z.object({}) };

const textBlock = (text: string) => ({ type: 'text' as const, text });
const imageBlock = { type: 'image' as const, data: png, mimeType: 'image/png' };
const audioBlock = { type: 'audio' as const, data: wav, mimeType: 'audio/wav' };
const resourceBlock = (uri: string, text: string, mimeType = 'text/plain') => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text },
});
const text = (value: string) => ({ content: [textBlock(value)] });

/** Keeps what a server would forget between two rounds, sealed. */
const state = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) });

const skills = await SkillsExtension.load(
  memorySkillFiles({
    'greeting/SKILL.md': '---\nname: greeting\ndescription: Greets people.\n---\nGreet.\n',
    'greeting/references/words.md': 'Hello.\n',
  }),
);

function makeServer(): McpServer {
  const server = new McpServer(
    { name: 'modern-server', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: (sealed, context) => state.verify(sealed, context) },
    },
  );
  registerPlainTools(server);
  registerTalkingTools(server);
  registerAskingTools(server);
  registerInputRequiredTools(server);
  registerResources(server);
  registerPrompts(server);
  skills.attach(server);
  return server;
}

/** Has the client say an argument in a header too. */
const mirrored = { 'x-mcp-header': 'Region' };

/** Tools that only answer. */
function registerPlainTools(server: McpServer): void {
  server.registerTool('test_simple_text', described, () => text('This is a simple text response for testing.'));
  server.registerTool('test_image_content', described, () => ({ content: [imageBlock] }));
  server.registerTool('test_audio_content', described, () => ({ content: [audioBlock] }));
  server.registerTool('test_embedded_resource', described, () => ({
    content: [resourceBlock('test://embedded-resource', 'This is an embedded resource content.')],
  }));
  server.registerTool('test_multiple_content_types', described, () => ({
    content: [
      textBlock('Multiple content types test:'),
      imageBlock,
      resourceBlock('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  }));
  server.registerTool('test_error_handling', described, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool('test_streaming_elicitation', noArguments, () => text('nothing is asked'));
  server.registerTool(
    'test_x_mcp_header',
    {
      ...described,
      inputSchema: fromJsonSchema<{ region?: string }>({
        type: 'object',
        properties: { region: { type: 'string', ...mirrored }, level: { type: 'integer' } },
      }),
    },
    ({ region }) => text(`region=${region ?? 'none'}`),
  );
  server.registerTool('json_schema_2020_12_tool', { ...described, inputSchema: fromJsonSchema(schema202012) }, () =>
    text('valid'),
  );
}

const schema202012 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // A keyword of JSON Schema here.
  // oxlint-disable-next-line unicorn/no-thenable
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

/** Tools that send something, or close their stream, before they answer. */
function registerTalkingTools(server: McpServer): void {
  server.registerTool('test_tool_with_logging', noArguments, async (_, { mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
      await pause(50);
    }
    return text('logged');
  });
  server.registerTool('test_logging_tool', noArguments, async (_, { mcpReq }) => {
    await mcpReq.log('info', 'only for those who ask for it');
    return text('logged');
  });
  server.registerTool('test_tool_with_progress', noArguments, async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await pause(50);
    }
    return text(String(progressToken));
  });
  server.registerTool('test_reconnection', noArguments, async (_, { http }) => {
    http?.closeSSE?.();
    await pause(100);
    return text('the client came back');
  });
  server.registerTool('test_trigger_tool_change', noArguments, () => {
    modern.notify.toolsChanged();
    return text('told');
  });
  server.registerTool('test_trigger_prompt_change', noArguments, () => {
    modern.notify.promptsChanged();
    return text('told');
  });
}

const form = (properties: Record<string, object>, required: string[]) => ({
  type: 'object' as const,
  properties,
  required,
});
const choice = (...values: string[]) => values.map((value) => ({ const: value, title: `Title of ${value}` }));

const formOfDefaults = form(
  {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  [],
);
const formOfEnums = form(
  {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: choice('value1', 'value2', 'value3') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: choice('value1', 'value2', 'value3') } },
  },
  [],
);

/** Tools that send a request of their own: the legacy era's way to ask. */
function registerAskingTools(server: McpServer): void {
  const asked = async (
    { mcpReq }: ServerContext,
    method: 'elicitation/create' | 'sampling/createMessage',
    params: object,
  ) => text(`answered: ${JSON.stringify(await mcpReq.send({ method, params: { ...params } }))}`);
  server.registerTool(
    'test_sampling',
    { ...described, inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, context) =>
      asked(context, 'sampling/createMessage', {
        messages: [{ role: 'user', content: textBlock(prompt) }],
        maxTokens: 100,
      }),
  );
  server.registerTool(
    'test_elicitation',
    { ...described, inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) => {
      const requestedSchema = form({ response: { type: 'string' } }, ['response']);
      return asked(context, 'elicitation/create', { message, requestedSchema });
    },
  );
  for (const [name, requestedSchema] of [
    ['test_elicitation_sep1034_defaults', formOfDefaults],
    ['test_elicitation_sep1330_enums', formOfEnums],
  ] as const) {
    server.registerTool(name, noArguments, (_, context) =>
      asked(context, 'elicitation/create', { message: 'Fill in', requestedSchema }),
    );
  }
}

const ask = {
  text: (name: string) =>
    inputRequired.elicit({ message: `${name}?`, requestedSchema: z.object({ [name]: z.string() }) }),
  confirm: () => inputRequired.elicit({ message: 'Sure?', requestedSchema: z.object({ ok: z.boolean() }) }),
  sampling: (prompt: string) =>
    inputRequired.createMessage({ messages: [{ role: 'user', content: textBlock(prompt) }], maxTokens: 50 }),
  roots: () => inputRequired.listRoots(),
};

/** Tools that answer that they need input: the modern era's way to ask (specification: basic/patterns/mrtr). */
function registerInputRequiredTools(server: McpServer): void {
  const answered = ({ mcpReq }: ServerContext, key: string): unknown => mcpReq.inputResponses?.[key];

  server.registerTool('test_missing_capability', noArguments, (_, context) =>
    answered(context, 'answer') ? text('pong') : inputRequired({ inputRequests: { answer: ask.sampling('ping') } }),
  );
  server.registerTool('test_input_required_result_elicitation', noArguments, (_, { mcpReq }) => {
    const given = acceptedContent<{ name: unknown }>(mcpReq.inputResponses, 'user_name')?.name;
    if (typeof given === 'string') return text(`Hello, ${given}!`);
    return inputRequired({ inputRequests: { user_name: ask.text('name') } });
  });
  server.registerTool('test_input_required_result_sampling', noArguments, (_, context) => {
    const given = answered(context, 'capital_question');
    if (given) return text(`answered: ${JSON.stringify(given)}`);
    return inputRequired({ inputRequests: { capital_question: ask.sampling('What is the capital of France?') } });
  });
  server.registerTool('test_input_required_result_list_roots', noArguments, (_, context) => {
    const given = answered(context, 'client_roots');
    if (given) return text(`answered: ${JSON.stringify(given)}`);
    return inputRequired({ inputRequests: { client_roots: ask.roots() } });
  });
  server.registerTool('test_input_required_result_multiple_inputs', noArguments, async (_, context) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => answered(context, key))) return text('all answered');
    const inputRequests = { user_name: ask.text('name'), greeting: ask.sampling('Greet'), client_roots: ask.roots() };
    return inputRequired({ inputRequests, requestState: await state.mint({ round: 1 }) });
  });
  server.registerTool('test_input_required_result_multi_round', noArguments, async (_, { mcpReq }) => {
    const round = mcpReq.requestState<{ round: number }>()?.round ?? 0;
    if (round === 2) return text('both rounds are over');
    const inputRequests: InputRequests = round === 0 ? { step1: ask.text('name') } : { step2: ask.text('color') };
    return inputRequired({ inputRequests, requestState: await state.mint({ round: round + 1 }) });
  });
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    server.registerTool(name, noArguments, async (_, { mcpReq }) => {
      const isConfirmed = acceptedContent(mcpReq.inputResponses, 'confirm') !== undefined;
      if (isConfirmed && mcpReq.requestState() !== undefined) return text('state-ok');
      return inputRequired({ inputRequests: { confirm: ask.confirm() }, requestState: await state.mint({ round: 1 }) });
    });
  }
  server.registerTool('test_input_required_result_capabilities', noArguments, (_, { mcpReq }) => {
    const envelope: Record<string, unknown> = { ...mcpReq.envelope };
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as Record<string, object> | undefined;
    const inputRequests: InputRequests = {
      ...(declared?.['elicitation'] ? { user_name: ask.text('name') } : {}),
      ...(declared?.['sampling'] ? { greeting: ask.sampling('Greet') } : {}),
      ...(declared?.['roots'] ? { client_roots: ask.roots() } : {}),
    };
    if (mcpReq.inputResponses !== undefined || Object.keys(inputRequests).length === 0) return text('nothing to ask');
    return inputRequired({ inputRequests });
  });
}

function registerResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain' };
  server.registerResource('static-text', 'test://static-text', plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: png }],
  }));
  server.registerResource('watched-resource', 'test://watched-resource', plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: 'Watched.' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
  }));
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function registerPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: 'user' as const, content });
  server.registerPrompt('test_simple_prompt', described, () => ({
    messages: [user(textBlock('This is a simple prompt for testing.'))],
  }));
  const argsSchema = z.object({ arg1: completable(z.string(), () => ['one', 'two']), arg2: z.string() });
  server.registerPrompt('test_prompt_with_arguments', { ...described, argsSchema }, ({ arg1, arg2 }) => ({
    messages: [user(textBlock(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }));
  const withUri = { ...described, argsSchema: z.object({ resourceUri: z.string() }) };
  server.registerPrompt('test_prompt_with_embedded_resource', withUri, ({ resourceUri }) => ({
    messages: [user(resourceBlock(resourceUri, 'Embedded.')), user(textBlock('Process the resource above.'))],
  }));
  server.registerPrompt('test_prompt_with_image', described, () => ({
    messages: [user(imageBlock), user(textBlock('Analyze the image above.'))],
  }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { ...described, argsSchema: z.object({}) },
    (_, { mcpReq }) => {
      const given = acceptedContent<{ context: string }>(mcpReq.inputResponses, 'user_context');
      if (given) return { messages: [user(textBlock(`Use the context: ${given.context}`))] };
      return inputRequired({ inputRequests: { user_context: ask.text('context') } });
    },
  );
}

/** Events by number, so that a stream can be taken up again behind any of them. */
class Events implements EventStore {
  private readonly events: { stream: string; message: JSONRPCMessage }[] = [];

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    return String(this.events.push({ stream, message }));
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.events[Number(last) - 1]?.stream ?? '';
    for (const [at, event] of [...this.events.entries()].slice(Number(last))) {
      // An event that only opens its stream says nothing.
      if (event.stream === stream && 'jsonrpc' in event.message) await send(String(at + 1), event.message);
    }
    return stream;
  }
}

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: new Events(),
    retryInterval: 500,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await makeServer().connect(transport);
  return transport;
}

async function answerLegacy(request: Request): Promise<Response> {
  const id = request.headers.get('mcp-session-id');
  const session = id === null ? await openSession() : sessions.get(id);
  if (session) return session.handleRequest(request);
  const error = { code: -32001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}

const modern = createMcpHandler(makeServer, { legacy: 'reject' });

async function answer(request: Request): Promise<Response> {
  const refusal =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins());
  return refusal ?? ((await isLegacyRequest(request)) ? answerLegacy(request) : modern.fetch(request));
}

const listener = createServer(fetchListener(answer));
listener.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`{"url":"http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp"}\n`);
});
