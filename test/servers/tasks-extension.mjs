// Of 2026-07-28 with the tasks extension: each call becomes a task, for clients that say they can.
import { send, serve, text } from './behaves.mjs';

const extension = 'io.modelcontextprotocol/tasks';
const extensions = { [extension]: {} };
const ask = (message) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
});
const tools = ['ask', 'isError', 'fail', 'stop', 'forever', 'empty'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: {} },
}));
const at = '2026-07-28T10:30:00Z';
const handle = { taskId: 'task-1', createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 20 };

let name;
let polls = 0;
/** Answers come in, and show two polls later: the server takes them when it likes. */
let given;
let takenAt;
const updates = [];

function standing() {
  polls++;
  if (name === 'isError') return { status: 'completed', result: { ...text('no'), isError: true } };
  if (name === 'fail') return { status: 'failed', error: { code: -32603, message: 'rate limit' } };
  if (name === 'stop') return { status: 'cancelled', statusMessage: 'shutting down' };
  if (name === 'empty') return { status: 'completed' };
  if (name !== 'ask' || polls < 2) return { status: 'working' };
  if (given === undefined || polls < takenAt) return { status: 'input_required', inputRequests: { who: ask('Name?') } };
  return { status: 'completed', result: text(`hello ${given.who.content.name}, ${updates.length} update`) };
}

function answer({ method, params }) {
  const complete = (result) => ({ result: { resultType: 'complete', ...result } });
  const capabilities = params?._meta?.['io.modelcontextprotocol/clientCapabilities'];
  const isAble = capabilities?.extensions?.[extension] !== undefined;
  const unable = {
    error: {
      code: -32021,
      message: 'Missing required client capability',
      data: { requiredCapabilities: { extensions } },
    },
  };
  if (method === 'server/discover') {
    return complete({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, prompts: {}, extensions },
      ttlMs: 0,
      cacheScope: 'private',
    });
  }
  if (method === 'tools/list') return complete({ tools, ttlMs: 0, cacheScope: 'private' });
  if (method === 'prompts/get') return { result: { resultType: 'task', status: 'working', ...handle } };
  if (!isAble) return unable;
  if (method === 'tools/call') {
    ({ name } = params);
    return { result: { resultType: 'task', status: 'working', ...handle } };
  }
  if (params?.taskId !== 'task-1') return { error: { code: -32602, message: 'Task not found' } };
  if (method === 'tasks/get') return complete({ ...handle, ...standing() });
  if (method === 'tasks/update') {
    updates.push(params.inputResponses);
    given = params.inputResponses;
    takenAt = polls + 3;
    return complete({});
  }
  if (method === 'tasks/cancel') return complete({});
  return { error: { code: -32601, message: 'Method not found' } };
}

serve((message) => {
  if (message.id !== undefined && message.method !== undefined) send({ id: message.id, ...answer(message) });
});
