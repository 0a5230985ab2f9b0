package wire

import "fmt"

// Code names one kind of failure. Codes are never reused or renamed.
type Code string

// Retry says what repeating the same call would do.
type Retry string

const (
	RetrySafe          Retry = "safe"           // the same call may be made again
	RetryNever         Retry = "never"          // the same call will fail again
	RetryAfterSnapshot Retry = "after_snapshot" // take a snapshot first
)

const (
	BadRequest       Code = "bad_request"
	UnknownMethod    Code = "unknown_method"
	BadVersion       Code = "bad_version"
	BadFrame         Code = "bad_frame"
	TooLarge         Code = "too_large"
	Timeout          Code = "timeout"
	Canceled         Code = "canceled"
	Internal         Code = "internal"
	ForbiddenOrigin  Code = "forbidden_origin"
	NoStore          Code = "no_store"
	StoreFull        Code = "store_full"
	StoreIO          Code = "store_io"
	StoreReadOnly    Code = "store_read_only"
	StoreNewer       Code = "store_newer"
	StoreCorrupt     Code = "store_corrupt"
	Busy             Code = "busy"
	UnknownHandle    Code = "unknown_handle"
	Declined         Code = "declined"
	NoBrowser        Code = "no_browser"
	BrowserFailed    Code = "browser_failed"
	AmbiguousBrowser Code = "ambiguous_browser"
	Detached         Code = "detached"
	NoPage           Code = "no_page"
	UnknownTab       Code = "unknown_tab"
	RestrictedPage   Code = "restricted_page"
	DebuggerTaken    Code = "debugger_taken"
	CanceledByUser   Code = "canceled_by_user"
	PageCrashed      Code = "page_crashed"
	CaptureFailed    Code = "capture_failed"
	BadURL           Code = "bad_url"
	NavigationFailed Code = "navigation_failed"
	UnknownUID       Code = "unknown_uid"
	StaleUID         Code = "stale_uid"
	Covered          Code = "covered"
	Disabled         Code = "disabled"
	NotVisible       Code = "not_visible"
	NotEditable      Code = "not_editable"
	WrongKind        Code = "wrong_kind"
	DialogOpen       Code = "dialog_open"
	NotDelivered     Code = "not_delivered"
	Uncertain        Code = "uncertain"
	Expired          Code = "expired"
	OldEpoch         Code = "old_epoch"
	ActReused        Code = "act_reused"
	ActInProgress    Code = "act_in_progress"
	Repeated         Code = "repeated"
	NotApproved      Code = "not_approved"
	EvalOff          Code = "eval_off"
	EvalFailed       Code = "eval_failed"
	RevealOff        Code = "reveal_off"
	InvalidSchema    Code = "invalid_schema"
	NoRefs           Code = "no_refs"
	UnresolvedRef    Code = "unresolved_ref"
	BadType          Code = "bad_type"
)

// Entry is one row of the table of codes.
type Entry struct {
	Code    Code
	Message string // what happened
	Hint    string // what to do next
	Retry   Retry
}

// Codes is the table of all failures, shared by Go, JavaScript and docs.
var Codes = []Entry{
	{BadRequest, "the request is malformed", "correct the named field", RetryNever},
	{UnknownMethod, "there is no such method", "see docs/PROTOCOL.md for the methods", RetryNever},
	{BadVersion, "the two ends speak different protocol versions", "install the extension and the host of one release", RetryNever},
	{BadFrame, "a frame could not be read", "start the connection again", RetryNever},
	{TooLarge, "the message is larger than allowed", "ask for less, or in parts", RetryNever},
	{Timeout, "no answer came in time", "try again; if it lasts, reload the page", RetrySafe},
	{Canceled, "the request was canceled", "ask again if it is still wanted", RetrySafe},
	{Internal, "an unexpected failure", "see the log for the id given", RetryNever},
	{ForbiddenOrigin, "the caller is not Handrail's extension", "run handrail install to allow this extension", RetryNever},
	{NoStore, "the state directory cannot be used", "set HANDRAIL_HOME to a directory you can write to", RetryNever},
	{StoreFull, "the disk is full", "free some space and try again", RetrySafe},
	{StoreIO, "the disk gave an error", "check the disk under HANDRAIL_HOME", RetrySafe},
	{StoreReadOnly, "the store is read-only", "make HANDRAIL_HOME writable, or set it to another directory", RetryNever},
	{StoreNewer, "the store was written by a newer Handrail", "install that release, or set HANDRAIL_HOME to another directory", RetryNever},
	{StoreCorrupt, "the stored payload is damaged", "take the snapshot again", RetryNever},
	{Busy, "the store is held by another process", "try again in a moment", RetrySafe},
	{UnknownHandle, "no stored view has this recovery handle", "check the handle and HANDRAIL_HOME, or take a new snapshot", RetryNever},
	{Declined, "the payload cannot be compressed", "see the reason given", RetryNever},
	{NoBrowser, "no browser is to be had", "install Chromium, or set HANDRAIL_CHROMIUM to a browser's path", RetryNever},
	{BrowserFailed, "the dedicated browser did not start", "see the log named in the message", RetrySafe},
	{AmbiguousBrowser, "several browsers are connected", "choose one with --browser", RetryNever},
	{Detached, "the connection to the browser was lost", "try again: it reconnects by itself", RetrySafe},
	{NoPage, "no page is open", "open one: handrail snapshot URL", RetryNever},
	{UnknownTab, "there is no such tab", "list the tabs: handrail tabs", RetryNever},
	{RestrictedPage, "the browser does not let extensions read this page", "go to an ordinary web page", RetryNever},
	{DebuggerTaken, "another debugger holds this tab", "close the other debugger of the tab", RetrySafe},
	{CanceledByUser, "the user ended debugging of this tab", "ask the user before trying again", RetryNever},
	{PageCrashed, "the page crashed", "reload the page", RetrySafe},
	{CaptureFailed, "the page could not be read", "try again; if it lasts, reload the page", RetrySafe},
	{BadURL, "this address cannot be opened", "give an http, https, about:blank or data:text/html address", RetryNever},
	{NavigationFailed, "the page did not load", "check the address and the network", RetrySafe},
	{UnknownUID, "no view shown to you has this uid", "take a snapshot, or name the recovery handle", RetryAfterSnapshot},
	{StaleUID, "the node is not what it was when it was seen", "take a new snapshot, or use a candidate given", RetryAfterSnapshot},
	{Covered, "another node covers the point to click", "close or move what covers it", RetryAfterSnapshot},
	{Disabled, "the control is disabled", "do what enables it first", RetryAfterSnapshot},
	{NotVisible, "the node is not visible", "open or scroll what hides it", RetryAfterSnapshot},
	{NotEditable, "nothing can be typed there", "choose an editable field", RetryNever},
	{WrongKind, "the act does not fit this kind of node", "choose an act that fits", RetryNever},
	{DialogOpen, "a dialog of the page waits for an answer", "answer it first: handrail dialog accept|dismiss", RetryNever},
	{NotDelivered, "the node did not receive the input", "take a snapshot and look before acting again", RetryAfterSnapshot},
	{Uncertain, "it is not known whether the act reached the page", "take a snapshot and look before acting again", RetryAfterSnapshot},
	{Expired, "the act came too late and was not done", "act again with a new id", RetrySafe},
	{OldEpoch, "the act came from a host that was replaced", "act again with a new id", RetrySafe},
	{ActReused, "this act id was used for another act", "use a new act id", RetryNever},
	{ActInProgress, "this act is being done", "ask again with the same id for its result", RetrySafe},
	{Repeated, "the same form was submitted a moment ago", "pass again if it is meant", RetryNever},
	{NotApproved, "nobody approved it", "answer in Handrail's side panel or notification, then try again", RetrySafe},
	{EvalOff, "eval in this browser is not allowed", "switch on eval in Handrail's side panel", RetryNever},
	{RevealOff, "revealing secret fields in this browser is not allowed", "switch on revealing in Handrail's side panel", RetryNever},
	{EvalFailed, "the expression failed", "see the exception given", RetryNever},
	{InvalidSchema, "the schema to extract by is not valid", "correct the schema at the place named", RetryNever},
	{NoRefs, "the schema refers to nothing on the page", "give its properties an x-ref or x-each with a uid", RetryNever},
	{UnresolvedRef, "a required property has nothing on the page", "take a snapshot and use a uid of it, or make the property optional", RetryAfterSnapshot},
	{BadType, "what the page says does not fit a required property", "change the property's type, x-attr or the locale, or make it optional", RetryNever},
}

var entries = func() map[Code]Entry {
	m := make(map[Code]Entry, len(Codes))
	for _, e := range Codes {
		m[e.Code] = e
	}
	return m
}()

// Entry returns the code's row; an unknown code has that of internal.
func (c Code) Entry() Entry {
	if e, ok := entries[c]; ok {
		return e
	}
	return entries[Internal]
}

// Dispatched says whether anything of an act reached the page.
const (
	DispatchedYes       = "yes"
	DispatchedNo        = "no"
	DispatchedUncertain = "uncertain"
)

// Fault is a failure as it crosses a border: the error object's data member.
// It says what happened, whether anything reached the page, and what to do next.
type Fault struct {
	Code       Code        `json:"code"`
	Message    string      `json:"message"`
	Hint       string      `json:"hint"`
	Retry      Retry       `json:"retry" wire:"enum=safe|never|after_snapshot"`
	Dispatched string      `json:"dispatched" wire:"enum=yes|no|uncertain"`
	Effect     string      `json:"effect" wire:"enum=seen|none_seen|unknown"`
	Settled    bool        `json:"settled"`
	Reason     string      `json:"reason,omitempty"`     // a finer word: gone, document, renamed, moved_context, a decline's reason …
	Field      string      `json:"field,omitempty"`      // the parameter at fault
	Now        string      `json:"now,omitempty"`        // the node's present name, for renamed
	Candidates []Candidate `json:"candidates,omitempty"` // nodes to act on instead, likeliest first; for covered: what covers
	LogID      string      `json:"log_id,omitempty"`     // where the log says more, for internal
	Need       *Permit     `json:"need,omitempty"`       // what was not approved
}

// Candidate is a node that a failure points to.
type Candidate struct {
	UID  string `json:"uid,omitempty"`
	Role string `json:"role"`
	Name string `json:"name"`
	Tag  string `json:"tag,omitempty"`

	BackendDOMNodeID int64  `json:"backendDOMNodeId,omitempty"` // extension → host only: the host turns it into a uid
	FrameID          string `json:"frameId,omitempty"`
}

// Fail makes a Fault of code; format and args say what happened in this case
// (the table's message when format is empty). Nothing reached the page.
func Fail(code Code, format string, args ...any) *Fault {
	e := code.Entry()
	f := &Fault{Code: code, Message: e.Message, Hint: e.Hint, Retry: e.Retry, Dispatched: DispatchedNo, Effect: "none_seen"}
	if format != "" {
		f.Message = fmt.Sprintf(format, args...)
	}
	return f
}

// Error gives the failure in one line: code, what happened, what reached the
// page, what to do.
func (f *Fault) Error() string {
	reached, hint := "", f.Hint
	switch f.Dispatched {
	case DispatchedYes:
		reached = " (it reached the page)"
	case DispatchedUncertain:
		reached = " (it may have reached the page)"
		hint = Uncertain.Entry().Hint // whatever failed, to do it again may be to do it twice
	}
	return fmt.Sprintf("%s: %s%s; %s", f.Code, f.Message, reached, hint)
}
