// Radix and Headless UI: popups in portals, opened by pointer events, with the page
// behind inert.
import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions, Listbox, ListboxButton, ListboxOption, ListboxOptions } from '@headlessui/react';
import * as Checkbox from '@radix-ui/react-checkbox';
import * as Dialog from '@radix-ui/react-dialog';
import * as Menu from '@radix-ui/react-dropdown-menu';
import * as Select from '@radix-ui/react-select';
import * as Switch from '@radix-ui/react-switch';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { count, place } from './page.js';

const fruits = ['Apple', 'Banana', 'Blueberry', 'Grapes', 'Pineapple'];
const people = Array.from({ length: 40 }, (_, i) => `Person ${i + 1}`);

const widgets = {
  fruit({ hold }) {
    const [value, set] = useState('');
    hold(value);
    return <Select.Root value={value} onValueChange={set}>
      <Select.Trigger aria-label="Fruit"><Select.Value placeholder="Choose a fruit" /></Select.Trigger>
      <Select.Portal><Select.Content><Select.Viewport>
        {fruits.map(fruit => <Select.Item key={fruit} value={fruit.toLowerCase()}><Select.ItemText>{fruit}</Select.ItemText></Select.Item>)}
      </Select.Viewport></Select.Content></Select.Portal>
    </Select.Root>;
  },
  menu({ hold }) {
    const [chosen, set] = useState('');
    hold(chosen);
    const pick = name => { count(name); set(name); };
    return <Menu.Root>
      <Menu.Trigger>Edit menu</Menu.Trigger>
      <Menu.Portal><Menu.Content>
        <Menu.Item onSelect={() => pick('duplicate')}>Duplicate</Menu.Item>
        <Menu.Item onSelect={() => pick('archive')}>Archive</Menu.Item>
        <Menu.Item disabled onSelect={() => pick('never')}>Unavailable</Menu.Item>
      </Menu.Content></Menu.Portal>
    </Menu.Root>;
  },
  dialog({ hold }) {
    const [name, set] = useState('');
    const [saved, save] = useState('');
    hold(saved);
    return <Dialog.Root>
      <Dialog.Trigger>Edit profile</Dialog.Trigger>
      <Dialog.Portal><Dialog.Overlay style={{ position: 'fixed', inset: 0, background: '#0008' }} />
        <Dialog.Content style={{ position: 'fixed', left: 40, top: 40, background: 'white', padding: 20 }} aria-describedby={undefined}>
          <Dialog.Title>Profile</Dialog.Title>
          <label>Display name <input value={name} onChange={event => set(event.target.value)} /></label>
          <Dialog.Close onClick={() => { count('save'); save(name); }}>Save profile</Dialog.Close>
        </Dialog.Content></Dialog.Portal>
    </Dialog.Root>;
  },
  terms({ hold }) {
    const [on, set] = useState(false);
    hold(String(on));
    return <p><Checkbox.Root id="terms-box" checked={on} onCheckedChange={set}><Checkbox.Indicator>✓</Checkbox.Indicator></Checkbox.Root><label htmlFor="terms-box">Accept terms</label></p>;
  },
  airplane({ hold }) {
    const [on, set] = useState(false);
    hold(String(on));
    return <p><label htmlFor="airplane-switch">Airplane mode</label><Switch.Root id="airplane-switch" checked={on} onCheckedChange={set} style={{ width: 40, height: 20 }}><Switch.Thumb style={{ display: 'block', width: 18, height: 18, background: 'grey' }} /></Switch.Root></p>;
  },
  person({ hold }) {
    const [value, set] = useState('');
    const [query, ask] = useState('');
    hold(value ?? '');
    const found = people.filter(person => person.toLowerCase().includes(query.toLowerCase()));
    return <Combobox value={value} onChange={set} onClose={() => ask('')}>
      <ComboboxInput aria-label="Assignee" onChange={event => ask(event.target.value)} />
      <ComboboxOptions anchor="bottom" style={{ background: 'white', maxHeight: 160, overflow: 'auto' }}>
        {found.map(person => <ComboboxOption key={person} value={person}>{person}</ComboboxOption>)}
      </ComboboxOptions>
    </Combobox>;
  },
  status({ hold }) {
    const [value, set] = useState('Open');
    hold(value);
    return <Listbox value={value} onChange={set}>
      <ListboxButton aria-label="Status">{value}</ListboxButton>
      <ListboxOptions anchor="bottom" style={{ background: 'white' }}>
        {['Open', 'In progress', 'Closed'].map(one => <ListboxOption key={one} value={one}>{one}</ListboxOption>)}
      </ListboxOptions>
    </Listbox>;
  },
};
for (const [name, Widget] of Object.entries(widgets)) {
  const { at, hold } = place(name);
  createRoot(at).render(<Widget hold={hold} />);
}
