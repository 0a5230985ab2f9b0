package batch

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"handrail/host/snapshot"
)

const (
	indexName = "batch.jsonl" // a Line for each view
	own       = ".batch"      // views that are not whole yet
)

// output is the directory of the views. Its index is only ever appended to: the
// last line of a view holds. Runs that share it hold a shared lock on the index;
// who is alone removes what a run left that was killed.
type output struct {
	root  *os.Root
	index *os.File

	mu    sync.Mutex
	state map[uint64]uint64 // by view: hashes, so that a million of them are no burden
}

var seed = maphash.MakeSeed()

func hash(s string) uint64 { return maphash.String(seed, s) }

// key is a view's name as the index has it: JSON has no place for bytes that are not UTF-8.
func key(view string) uint64 { return hash(string([]rune(view))) }

func openOutput(dir string) (o *output, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make the directory of the views: %w", err)
	}
	o = &output{state: map[uint64]uint64{}}
	defer func() {
		if err != nil {
			o.close()
			err = fmt.Errorf("open the directory of the views: %w", err)
		}
	}()
	if o.root, err = os.OpenRoot(dir); err != nil {
		return o, err
	}
	if o.index, err = o.root.OpenFile(indexName, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return o, err
	}
	if lock(o.index, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		if err := o.root.RemoveAll(own); err != nil {
			return o, err
		}
	}
	if err := lock(o.index, syscall.LOCK_SH); err != nil {
		return o, err
	}
	return o, o.load()
}

func lock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}

func (o *output) close() {
	if o.index != nil {
		o.index.Close()
	}
	if o.root != nil {
		o.root.Remove(own) // unless another run is at work there
		o.root.Close()
	}
}

// load reads the index. A line that was cut off names nothing, and is ended here.
func (o *output) load() error {
	lines := bufio.NewReader(o.index)
	for {
		text, err := lines.ReadBytes('\n')
		var line struct{ View, State string }
		if json.Unmarshal(text, &line) == nil && line.View != "" {
			o.state[key(line.View)] = hash(line.State)
		}
		if err == io.EOF {
			if len(text) > 0 {
				_, err = o.index.WriteString("\n")
				return err
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// stateOf says what a view was made of, and how long it is: one that a crash of the
// machine cut off is made again.
func stateOf(options string, from fs.FileInfo, bytes int64) string {
	sum := sha256.Sum256([]byte(options))
	return fmt.Sprintf("%x-%d-%d-%d", sum[:8], from.Size(), from.ModTime().UnixNano(), bytes)
}

// has says that a view is there, made by these options of the file as it is now.
func (o *output) has(view string, from fs.FileInfo, options string) bool {
	info, err := o.root.Lstat(view)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	state, known := o.state[key(view)]
	return known && state == hash(stateOf(options, from, info.Size()))
}

// put writes a view, and then its line of the index.
func (o *output) put(s source, view []byte, from fs.FileInfo, options string, report *snapshot.Report) error {
	name := s.view()
	if err := o.write(name, view); err != nil {
		return fmt.Errorf("write the view: %w", err)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(Line{File: s.path, View: name, Report: report, State: stateOf(options, from, int64(len(view)))}); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	if _, err := o.index.Write(text.Bytes()); err != nil { // at once: other runs append, too
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

// write puts a file in its place when it is whole.
func (o *output) write(name string, body []byte) error {
	part := own + "/" + rand.Text()
	f, err := o.create(part)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = o.root.MkdirAll(filepath.Dir(name), 0o777)
	}
	if err == nil {
		err = o.root.Rename(part, name)
	}
	if err != nil {
		o.root.Remove(part)
	}
	return err
}

// create makes the directory again when another run has just removed it.
func (o *output) create(part string) (f *os.File, err error) {
	for range 10 {
		if f, err = o.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		if err := o.root.Mkdir(own, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, err
}
