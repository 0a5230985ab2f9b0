// Lists: one of 10,000 rows of which only those in view are in the page, one that is
// sorted by dragging.
import { DndContext, PointerSensor, closestCenter, useSensor, useSensors } from '@dnd-kit/core';
import { SortableContext, arrayMove, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { count, place } from './page.js';

function Rows() {
  const scroller = useRef(null);
  const rows = useVirtualizer({ count: 10_000, getScrollElement: () => scroller.current, estimateSize: () => 30, overscan: 5 });
  const shown = rows.getVirtualItems();
  // Keyed by place and not by record: a row that leaves gives its nodes to one that comes.
  return <div ref={scroller} style={{ height: 300, overflow: 'auto' }} aria-label="Orders" role="region" tabIndex={0}>
    <ul style={{ height: rows.getTotalSize(), position: 'relative', margin: 0, padding: 0 }}>
      {shown.map((row, place) => <li key={place} style={{ position: 'absolute', top: row.start, height: 30, width: '100%', listStyle: 'none' }}>
        <span>Order {row.index}</span> <button onClick={() => count(`order ${row.index}`)}>Review</button>
      </li>)}
    </ul>
  </div>;
}

function Item({ id }) {
  const { attributes, listeners, setNodeRef, transform } = useSortable({ id });
  return <li ref={setNodeRef} {...attributes} {...listeners} aria-label={id} style={{ height: 40, transform: transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined, touchAction: 'none' }}>{id}</li>;
}

function Sorted({ hold }) {
  const [items, set] = useState(['Alpha', 'Beta', 'Gamma', 'Delta']);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 4 } }));
  hold(items.join(' '));
  const drop = ({ active, over }) => {
    if (over && over.id !== active.id) set(now => arrayMove(now, now.indexOf(active.id), now.indexOf(over.id)));
  };
  return <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop}>
    <SortableContext items={items} strategy={verticalListSortingStrategy}><ul aria-label="Tasks">{items.map(id => <Item key={id} id={id} />)}</ul></SortableContext>
  </DndContext>;
}

createRoot(place('rows').at).render(<Rows />);
const { at, hold } = place('sorted');
createRoot(at).render(<Sorted hold={hold} />);
