// Starts the service worker again when it was stopped: connecting does that.

import { connectWorker } from './src/chrome.js';

const [shortest, longest, steady] = [50, 5000, 1000]; // ms
let pause = shortest;

function hold() {
  const began = Date.now();
  connectWorker('offscreen').onDisconnect.addListener(() => {
    pause = Date.now() - began > steady ? shortest : Math.min(2 * pause, longest);
    setTimeout(hold, pause);
  });
}

hold();
