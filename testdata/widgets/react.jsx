// React's controlled fields: what is typed stands only if the state takes it.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { count, place } from './page.js';

function Field({ label, name, take = value => value, kind = 'input', hold, ...rest }) {
  const [value, set] = useState(rest.initial ?? '');
  hold(value);
  const Kind = kind;
  return <p><label>{label} <Kind value={value} onChange={event => set(was => take(event.target.value, was))} {...rest} initial={undefined} /></label></p>;
}

function Form({ hold }) {
  const [text, set] = useState('');
  const [sent, send] = useState('');
  hold(sent);
  return <form onSubmit={event => { event.preventDefault(); count('search'); send(text); }}><label>Search <input value={text} onChange={event => set(event.target.value)} /></label><button>Go</button></form>;
}

function Box({ hold }) {
  const [on, set] = useState(false);
  hold(String(on));
  return <p><label><input type="checkbox" checked={on} onChange={event => set(event.target.checked)} /> Agree</label></p>;
}

function Country({ hold }) {
  const [code, set] = useState('fr');
  hold(code);
  return <p><label>Country <select value={code} onChange={event => set(event.target.value)}><option value="fr">France</option><option value="de">Germany</option><option value="it">Italy</option></select></label></p>;
}

const fields = {
  plain: { label: 'Name' },
  upper: { label: 'Code', take: value => value.toUpperCase() },
  fixed: { label: 'Fixed', take: (_, was) => was, initial: 'fixed' },
  card: { label: 'Phone', take: value => value.replace(/\D/g, '').replace(/(\d{3})(?=\d)/g, '$1 ') },
  notes: { label: 'Notes', kind: 'textarea' },
  amount: { label: 'Amount', type: 'number' },
  day: { label: 'Day', type: 'date' },
  level: { label: 'Level', type: 'range', min: 0, max: 10, initial: '5' },
};
for (const [name, props] of Object.entries(fields)) {
  const { at, hold } = place(name);
  createRoot(at).render(<Field name={name} hold={hold} {...props} />);
}
for (const [name, Widget] of Object.entries({ sent: Form, agree: Box, country: Country })) {
  const { at, hold } = place(name);
  createRoot(at).render(<Widget hold={hold} />);
}
