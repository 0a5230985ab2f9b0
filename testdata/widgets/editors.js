// Rich editors: each keeps a model of its own and makes the DOM from it.
import { EditorView as CodeMirror, basicSetup } from 'codemirror';
import { createEditor, $getRoot } from 'lexical';
import { registerPlainText } from '@lexical/plain-text';
import { createEmptyHistoryState, registerHistory } from '@lexical/history';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { schema } from 'prosemirror-schema-basic';
import { keymap } from 'prosemirror-keymap';
import { baseKeymap } from 'prosemirror-commands';
import { history, undo } from 'prosemirror-history';
import { place } from './page.js';

{
  const { at, hold } = place('prose');
  const view = new EditorView(at, {
    state: EditorState.create({ schema, plugins: [history(), keymap({ 'Mod-z': undo }), keymap(baseKeymap)] }),
    attributes: { 'aria-label': 'Prose', role: 'textbox' },
    dispatchTransaction(transaction) {
      view.updateState(view.state.apply(transaction));
      hold(view.state.doc.textBetween(0, view.state.doc.content.size, '\n'));
    },
  });
}
{
  const { at, hold } = place('code');
  new CodeMirror({
    parent: at,
    extensions: [basicSetup, CodeMirror.contentAttributes.of({ 'aria-label': 'Code' }), CodeMirror.updateListener.of(update => hold(update.state.doc.toString()))],
  });
}
{
  const { at, hold } = place('rich');
  at.contentEditable = 'true';
  at.setAttribute('role', 'textbox');
  at.setAttribute('aria-label', 'Rich');
  const editor = createEditor({ namespace: 'rich', onError(error) { throw error; } });
  editor.setRootElement(at);
  registerPlainText(editor);
  registerHistory(editor, createEmptyHistoryState(), 300);
  editor.registerUpdateListener(({ editorState }) => editorState.read(() => hold($getRoot().getTextContent())));
}
