// The side panel: one link to the host, one module for each tab.
import { openActivity } from './activity.js';
import { openAgent } from './agent.js';
import { openApprovals } from './approvals.js';
import { element } from './element.js';
import { openHistory } from './history.js';
import { openLink } from './link.js';
import { openNotice } from './notice.js';
import { openPage } from './page.js';
import { openSites } from './sites.js';
import { hostStateOf } from './states.js';
import { openTabs } from './tabs.js';

/**
 * What a tab's module gives the panel.
 * @typedef {object} Tab
 * @property {() => void} [shown] called whenever the tab comes up
 * @property {(state: import('./link.js').HostState) => void} [host] called whenever the worker tells the host's state
 * @property {() => void} [read] called whenever the Page tab has read a page
 */

const notice = openNotice(element('host', HTMLElement));
/** @type {Record<string, Tab>} by the id of the tab's panel */
const tabs = {};
/** @type {import('./link.js').HostState | undefined} */
let known;
let said = '';

const showQuestions = openApprovals(element('approvals', HTMLElement), (id, given) => answer(id, given));
const { ask, answer } = openLink(state => {
  known = state;
  const words = hostStateOf(state);
  if (said !== (said = JSON.stringify(words) ?? '')) notice(words); // said once, however often the host is tried
  for (const tab of Object.values(tabs)) tab.host?.(state);
}, showQuestions);

tabs.sites = openSites(ask);
tabs.agent = openAgent(ask, () => showTab('agent'));
tabs.history = openHistory(ask);
tabs.activity = openActivity(ask);
tabs.page = openPage(ask, () => tabs.history.read?.());
if (known) for (const tab of Object.values(tabs)) tab.host?.(known);
const showTab = openTabs(element('tabs', HTMLElement), name => tabs[name]?.shown?.());
