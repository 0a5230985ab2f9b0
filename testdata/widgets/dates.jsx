// Date pickers: one on a field, one that is all grid.
import flatpickr from 'flatpickr';
import 'flatpickr/dist/flatpickr.css';
import { useState } from 'react';
import { DayPicker } from 'react-day-picker';
import { createRoot } from 'react-dom/client';
import { place } from './page.js';

for (const [name, label, options] of [['typed', 'Arrival', { allowInput: true }], ['picked', 'Departure', {}]]) {
  const { at, hold } = place(name);
  const field = document.createElement('input');
  field.setAttribute('aria-label', label);
  at.append(field);
  flatpickr(field, { defaultDate: '2026-03-10', onChange: (_, text) => hold(text), ...options });
}

function Calendar({ hold }) {
  const [day, set] = useState(new Date(2026, 2, 10));
  hold(day ? `${day.getFullYear()}-${day.getMonth() + 1}-${day.getDate()}` : '');
  return <DayPicker mode="single" defaultMonth={new Date(2026, 2)} selected={day} onSelect={set} />;
}
const { at, hold } = place('calendar');
createRoot(at).render(<Calendar hold={hold} />);
