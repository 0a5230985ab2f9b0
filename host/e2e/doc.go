// Package e2e holds the end-to-end tests: the built handrail binary drives a
// real headless Chromium through the real extension and host against the pages
// of testdata/pages. They run with the build tag e2e and need a Chromium.
package e2e
