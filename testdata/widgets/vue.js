// Vue's v-model in its kinds.
import { createApp, watch } from 'vue/dist/vue.esm-bundler.js';
import { place } from './page.js';

const widgets = {
  plain: ['', '<label>Name <input v-model="value"></label>'],
  lazy: ['', '<label>Lazy <input v-model.lazy="value"></label>'],
  trim: ['', '<label>Trimmed <input v-model.trim="value"></label>'],
  number: [0, '<label>Number <input v-model.number="value" type="number"></label>'],
  agree: [false, '<label><input type="checkbox" v-model="value"> Agree</label>'],
  colours: [[], '<label>Colours <select multiple v-model="value"><option>Red</option><option>Green</option><option>Blue</option></select></label>'],
  size: ['', '<fieldset><legend>Size</legend><label><input type="radio" value="s" v-model="value"> Small</label><label><input type="radio" value="l" v-model="value"> Large</label></fieldset>'],
};
for (const [name, [initial, template]] of Object.entries(widgets)) {
  const { at, hold } = place(name);
  createApp({
    template,
    data: () => ({ value: initial }),
    created() { watch(() => this.value, value => hold(value), { immediate: true, deep: true }); },
  }).mount(at);
}
