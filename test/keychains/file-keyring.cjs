// What `@napi-rs/keyring` documents of `Entry`, with the file TEST_KEYCHAIN for a keychain.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');

const file = process.env.TEST_KEYCHAIN;
const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});

exports.Entry = class Entry {
  constructor(service, username) {
    this.name = JSON.stringify([service, username]);
  }

  getPassword() {
    return read()[this.name] ?? null;
  }

  setPassword(password) {
    // The least that a keychain takes, on Windows: 2560 bytes of UTF-16.
    if (password.length > 1280) throw new Error('the password is too long');
    writeFileSync(file, JSON.stringify({ ...read(), [this.name]: password }));
  }
};
