// Loaded into a server before its own code: what it writes is changed on the way out, FROM a
// regular expression TO a replacement. It makes a server that is wrong in one place.
const write = process.stdout.write.bind(process.stdout);
const from = new RegExp(process.env.FROM, 'g');
process.stdout.write = (text) => write(text.replace(from, process.env.TO));
