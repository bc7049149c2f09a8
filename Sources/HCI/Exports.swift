// SPDX-License-Identifier: GPL-3.0-or-later

// A reader of packets needs the values in them.
@_exported public import Values
