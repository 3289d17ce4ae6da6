// Of 2025-11-25, with tools that can be called as tasks only. `ask` asks in the midst of it, on the way that tasks/result
// opens; `fail` and `stop` end as their names say; `forever` ends when it is cancelled, and not before; `told` gives a
// poll interval of minutes, and tells of its end by itself; `deaf` answers no poll, `deaf-once` all but the first.
import { echo, pause, reply, resultOf, send, serve, text } from './behaves.mjs';

const inputSchema = { type: 'object', properties: {} };
const required = ['ask', 'fail', 'stop', 'forever', 'told', 'silent', 'deaf-once', 'deaf'];
const tools = [
  echo,
  ...required.map((name) => ({ name, inputSchema, execution: { taskSupport: 'required' } })),
  { name: 'either', inputSchema, execution: { taskSupport: 'optional' } },
];
const tasks = { ...(process.argv.includes('no-cancel') ? {} : { cancel: {} }), requests: { tools: { call: {} } } };
const related = { 'io.modelcontextprotocol/related-task': { taskId: 'task-1' } };
const at = '2025-11-25T10:30:00Z';

let name;
let task;
let token;
let polls = 0;
let early;

const stands = (status, more = {}) =>
  (task = { taskId: 'task-1', status, createdAt: at, lastUpdatedAt: at, ttl: null, pollInterval: 20, ...more });
const end = (status, result, more) => {
  stands(status, more);
  task.outcome = result;
  if (early !== undefined) give(early);
};
const give = (id) => send({ id, ...task.outcome });
const shown = (one) => ({ ...one, outcome: undefined });

async function begin({ id, params }) {
  ({ name } = params);
  token = params._meta?.progressToken;
  stands('working', name === 'told' ? { pollInterval: 280_000 } : {});
  send({ id, result: { task: shown(task) } });
  if (name !== 'told') return;
  await pause(50);
  send({
    method: 'notifications/progress',
    params: { progressToken: token, progress: 1, message: `as ${typeof token}` },
  });
  end('completed', { result: { ...text('told of it'), _meta: related } });
  send({ method: 'notifications/tasks/status', params: shown(task) });
}

/** Each poll is one step on the way. */
function step() {
  polls++;
  if (name === 'ask' && polls === 2) stands('input_required', { statusMessage: 'a name is wanted' });
  if (name === 'fail' && polls === 2)
    end('failed', { error: { code: -32000, message: 'it broke' } }, { statusMessage: 'bad luck' });
  if (name === 'deaf-once' && polls === 2) end('completed', { result: text('heard') });
  if (name === 'stop' && polls === 2) end('cancelled', undefined, { statusMessage: 'shutting down' });
}

function result({ id }) {
  if (task.outcome) return give(id);
  early = id;
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  send({ id: 'q', method: 'elicitation/create', params: { message: 'Name?', requestedSchema, _meta: related } });
}

const refuse = (id, code, message) => send({ id, error: { code, message } });

serve((message) => {
  const { id, method, params } = message;
  if (method === 'initialize') {
    const said = resultOf(message);
    return send({ id, result: { ...said, protocolVersion: '2025-11-25', capabilities: { tools: {}, tasks } } });
  }
  if (method === 'tools/list') return send({ id, result: { tools } });
  if (method === 'tools/call' && params.name !== 'echo') {
    if (params.name === 'either') return send({ id, result: text(params.task ? 'as a task' : 'plainly') });
    if (params.name === 'silent') return;
    return params.task ? begin(message) : refuse(id, -32601, 'This tool is a task');
  }
  if (method === 'tasks/get') {
    step();
    if (name === 'deaf' || (name === 'deaf-once' && polls === 1)) return;
    return send({ id, result: shown(task) });
  }
  if (method === 'tasks/result') return result(message);
  if (method === 'tasks/cancel') return send({ id, result: shown(stands('cancelled')) });
  if (id === 'q' && method === undefined) {
    const marked = message.result?._meta?.['io.modelcontextprotocol/related-task']?.taskId;
    return end('completed', {
      result: { ...text(`hello ${message.result?.content?.name}, of ${marked}`), _meta: related },
    });
  }
  reply(message);
});
