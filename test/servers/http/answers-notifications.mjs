// Answers a notification with something other than 202 and no body; what, is told by ?v.
import { answer, serve } from './behaves.mjs';

const variants = {
  '200null': [200, { 'Content-Type': 'application/json' }, 'null'],
  '200empty': [200, { 'Content-Type': 'application/json' }, ''],
  204: [204, {}, ''],
  '200text': [200, { 'Content-Type': 'text/plain; charset=utf-8' }, 'ok'],
  '202body': [202, { 'Content-Type': 'application/json' }, '{}'],
  '200chunked': [200, { 'Transfer-Encoding': 'chunked' }, ''],
};

serve((request, response, message) => {
  if (message?.id !== undefined || message?.method === undefined) return answer(request, response, message);
  const [status, headers, body] = variants[new URL(request.url, 'http://localhost').searchParams.get('v')];
  response.writeHead(status, headers).end(body);
});
