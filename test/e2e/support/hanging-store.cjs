// Loaded into wireproof before it starts: a disk that answers no more. From the write at which the file HANG_WHEN
// is there, each write of the trace waits in a thread, as in a disk that hangs, until somebody reads the FIFO HANG_ON.
const fs = require('node:fs');

const { writev } = fs;
fs.writev = (descriptor, blocks, done) => {
  if (!fs.existsSync(process.env.HANG_WHEN)) return writev(descriptor, blocks, done);
  fs.open(process.env.HANG_ON, 'w', (error, fifo) => {
    if (!error) fs.closeSync(fifo);
    writev(descriptor, blocks, done);
  });
};
