// The near end on HTTP: works on bare sockets, so that what is measured is what stands before it. Prints its figures.
//   requests URL CONNECTIONS SECONDS    one small tools/call after the other on each connection
//   events URL STREAMS SECONDS          the delay of each event, on so many streams at once
//   bodies URL BYTES                    one long body there, and then one back
//   slow URL EVENTS                     a stream of events, read slowly
//   half-open URL COUNT                 begins requests and never ends them; prints when all are there, and stays
import net from 'node:net';
import { percentiles } from './percentiles.mjs';

const [mode, url, ...numbers] = process.argv.slice(2);
const [count, seconds] = numbers.map(Number);
const { hostname, port, host, pathname } = new URL(url);
const endOfHead = Buffer.from('\r\n\r\n');
/** How a body in chunks ends; no body here has it inside. */
const lastChunk = '0\r\n\r\n';
const print = (figures) => process.stdout.write(`${JSON.stringify(figures)}\n`);

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

const headLines = (method, path, lines) =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Accept: application/json, text/event-stream',
    'User-Agent: bench/1.0.0',
    ...lines,
    '\r\n',
  ].join('\r\n');

const posted = (path, length, lines = []) =>
  headLines('POST', path, ['Content-Type: application/json', `Content-Length: ${length}`, ...lines]);

const post = (message, lines) => {
  const body = JSON.stringify(message);
  return Buffer.from(posted(pathname, Buffer.byteLength(body), lines) + body);
};

/** One kept connection, with just enough HTTP to see where an answer ends. */
class Connection {
  constructor() {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    const callback = (length) => this.feed(buffer.subarray(0, length));
    this.socket = net.connect({ host: hostname, port, noDelay: true, onread: { buffer, callback } });
    this.socket.on('error', (error) => fail(error.message));
    this.socket.on('close', () => this.answered && fail('the connection was closed before the answer'));
    this.answered = undefined;
    this.begin();
  }

  /** @param answered called with the head when all of the answer is here */
  ask(request, answered) {
    this.answered = answered;
    this.socket.write(request);
  }

  begin() {
    this.head = undefined;
    this.heldHead = undefined;
    /** Bytes of body that are still to come; infinite where it comes in chunks. */
    this.left = 0;
    this.tail = '';
  }

  feed(bytes) {
    const body = this.head === undefined ? this.readHead(bytes) : bytes;
    if (!body) return;
    if (this.left === Infinity) {
      this.tail = (this.tail + body.latin1Slice(Math.max(0, body.length - lastChunk.length))).slice(-lastChunk.length);
      if (this.tail !== lastChunk) return;
    } else {
      this.left -= body.length;
      if (this.left > 0) return;
    }
    const { head, answered } = this;
    this.begin();
    this.answered = undefined;
    answered(head);
  }

  /** What of the bytes is body; nothing where the head goes on. */
  readHead(bytes) {
    const all = this.heldHead ? Buffer.concat([this.heldHead, bytes]) : bytes;
    const end = all.indexOf(endOfHead);
    if (end < 0) {
      this.heldHead = Buffer.from(all);
      return undefined;
    }
    this.head = all.latin1Slice(0, end);
    if (this.head[9] !== '2') fail(`answered ${this.head} ${all.subarray(end)}`);
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.head);
    const isEmpty = this.head.startsWith('202', 9);
    this.left = length ? Number(length[1]) : /\r\ntransfer-encoding: *chunked/i.test(this.head) ? Infinity : 0;
    const body = all.subarray(end + endOfHead.length);
    if (!length && !isEmpty && this.left === 0) fail(`an answer without a length: ${this.head}`);
    return body;
  }
}

const ask = (connection, request) => new Promise((resolve) => connection.ask(request, resolve));

/** Opens a session; gives the header lines that every further request has to have. */
async function openSession() {
  const connection = new Connection();
  const protocolVersion = '2025-06-18';
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const params = { protocolVersion, capabilities: {}, clientInfo };
  const head = await ask(connection, post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, []));
  const session = /\r\nmcp-session-id: *([^\r]*)/i.exec(head)?.[1];
  const lines = [`MCP-Protocol-Version: ${protocolVersion}`, ...(session ? [`Mcp-Session-Id: ${session}`] : [])];
  await ask(connection, post({ jsonrpc: '2.0', method: 'notifications/initialized' }, lines));
  connection.socket.destroy();
  return lines;
}

/** A request of 200 bytes, the id of which can be written over. */
function smallCall(lines) {
  const size = 200;
  const make = (text) => ({
    jsonrpc: '2.0',
    id: 1e9,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text } },
  });
  return post(make('x'.repeat(size - JSON.stringify(make('')).length)), lines);
}

async function requests() {
  const lines = await openSession();
  const times = [];
  let total = 0;
  const start = performance.now();
  const warm = start + seconds * 200;
  const over = warm + seconds * 1000;
  const worker = async (index) => {
    const connection = new Connection();
    const request = smallCall(lines);
    const idAt = request.indexOf('1000000000');
    let id = 1e9 + index * 1e7;
    await new Promise((resolve) => {
      const next = () => {
        request.latin1Write(String(++id), idAt);
        const sent = performance.now();
        connection.ask(request, () => {
          const now = performance.now();
          total++;
          if (now >= warm && now < over) times.push(now - sent);
          if (now < over) next();
          else resolve();
        });
      };
      next();
    });
    connection.socket.destroy();
  };
  await Promise.all(Array.from({ length: count }, (_, index) => worker(index)));
  return { ...percentiles(times), perSecond: times.length / seconds, total };
}

/** So long everything may warm up before events are measured. Milliseconds. */
const warmUp = 3000;

/** Each event says when it was written. */
function events() {
  const delays = [];
  const warm = performance.now() + warmUp;
  for (let index = 0; index < count; index++) {
    const socket = net.connect({ host: hostname, port, noDelay: true });
    let held = '';
    socket.write(headLines('GET', `${pathname}?events-every=5`, []));
    socket.on('error', (error) => fail(error.message));
    socket.on('data', (bytes) => {
      const now = Number(process.hrtime.bigint());
      const text = held + bytes.latin1Slice();
      let end = 0;
      for (const found of text.matchAll(/"at":(\d+),/g)) {
        end = found.index + found[0].length;
        if (performance.now() > warm) delays.push((now - Number(found[1])) / 1e6);
      }
      held = text.slice(Math.max(end, text.length - 64));
    });
  }
  return new Promise((resolve) => setTimeout(() => resolve(percentiles(delays)), warmUp + seconds * 1000)).then(
    (figures) => ({
      ...figures,
      perSecond: delays.length / seconds,
    }),
  );
}

/** The body is one JSON-RPC message: its text is as long as it has to be. */
async function bodies() {
  const before = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"';
  const after = '"}}}';
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const connection = new Connection();
  const start = performance.now();
  const answered = ask(connection, posted(`${pathname}?sink`, count) + before);
  let left = count - before.length - after.length;
  while (left > 0) {
    const bytes = chunk.subarray(0, Math.min(left, chunk.length));
    left -= bytes.length;
    if (!connection.socket.write(bytes)) await new Promise((resolve) => connection.socket.once('drain', resolve));
  }
  connection.socket.write(after);
  await answered;
  const turn = performance.now();
  await ask(connection, headLines('GET', `${pathname}?source=${count}`, []));
  connection.socket.destroy();
  const rate = (from, to) => count / 1e3 / (to - from);
  return { there: rate(start, turn), back: rate(turn, performance.now()) };
}

/** Reads about 13 MB a second. */
function slow() {
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port, noDelay: true });
    let tail = '';
    let bytes = 0;
    socket.write(headLines('GET', `${pathname}?events=${count}`, []));
    socket.on('error', (error) => fail(error.message));
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      tail = (tail + chunk.latin1Slice(Math.max(0, chunk.length - lastChunk.length))).slice(-lastChunk.length);
      if (tail === lastChunk) {
        socket.destroy();
        resolve({ bytes });
      } else {
        socket.pause();
        setTimeout(() => socket.resume(), 5);
      }
    });
  });
}

/** Every second one has sent its head and half its body, the others half a head. */
async function halfOpen() {
  const head = posted(pathname, 200);
  const begun = [`${head}${'{"jsonrpc":"2.0","id":1,'.padEnd(100)}`, head.slice(0, 80)];
  let closed = 0;
  const open = (index) =>
    new Promise((resolve) => {
      const socket = net.connect({ host: hostname, port }, () => socket.write(begun[index % 2], resolve));
      socket.on('error', resolve).on('close', () => closed++);
    });
  for (let opened = 0; opened < count; opened += 100) {
    await Promise.all(Array.from({ length: Math.min(100, count - opened) }, (_, index) => open(opened + index)));
  }
  print({ open: count - closed });
  process.stdin.resume().on('end', () => {
    print({ open: count - closed });
    process.exit();
  });
  await new Promise(() => undefined);
}

print(await { requests, events, bodies, slow, 'half-open': halfOpen }[mode]());
process.exit();
