// The service worker: registers listeners and hands over. They must stand here,
// at top level, so that Chrome finds them when it starts the worker for an event.

import { onAlarm, onConnect, onDebuggerDetach, onDebuggerEvent, onNoticeButton, onStart, onTabClosed } from './src/chrome.js';
import { handleNotice } from './src/approvals.js';
import { handleClosed, handleDetach, handleEvent } from './src/session.js';
import { handleConnect, wake } from './src/worker.js';

onStart(wake);
onAlarm(wake);
onConnect(handleConnect);
onDebuggerEvent(handleEvent);
onDebuggerDetach(handleDetach);
onTabClosed(handleClosed);
onNoticeButton(handleNotice);
wake();
