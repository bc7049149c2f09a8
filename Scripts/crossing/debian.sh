# SPDX-License-Identifier: GPL-3.0-or-later
#
# For scripts that make something of Debian's packages for arm64, without installing any of them here. To be sourced.
# shellcheck shell=bash

# FOLDER: a private configuration of apt in FOLDER, which takes packages for arm64 of Debian 12, 13 and sid from where this
# machine's own come from. It exports APT_CONFIG. Packages are of Debian 12 unless a suite is named.
private_apt() {
  local folder=$1 mirror suite
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
    awk -v suite="$(. /etc/os-release && echo "$VERSION_CODENAME")" '$2 == suite { print $1; exit }')
  mkdir -p "$folder"/lists/partial "$folder"/cache/archives/partial
  : >"$folder/status"
  for suite in bookworm trixie sid; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian/} $suite main"
  done >"$folder/sources.list"
  cat >"$folder/apt.conf" <<CONFIGURATION
Dir::State "$folder";
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Default-Release "bookworm";
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
// A mirror that stands still has an index of sid that is out of date; its signature is still checked.
Acquire::Check-Valid-Until "false";
CONFIGURATION
  export APT_CONFIG=$folder/apt.conf
  apt-get update -qq
}

# SUITE NAME…: downloads these packages of a suite and what they depend on, and prints the files.
downloaded() {
  local suite=$1 uris
  shift
  # apt names only files that it does not have yet.
  uris=$(apt-get install -qq --print-uris -o Dir::Cache::archives=none/ -t "$suite" "$@")
  apt-get install -y -qq --download-only -t "$suite" "$@" >&2
  awk -v folder="${APT_CONFIG%/*}/cache/archives/" '{ print folder $2 }' <<<"$uris"
}

# ROOT: unpacks the packages of standard input into ROOT, where programs and libraries share a tree, as in an installed
# system.
unpack_packages() {
  local file name
  mkdir -p "$1"/usr/{bin,sbin,lib,lib64}
  for name in bin sbin lib lib64; do [ -e "$1/$name" ] || ln -s "usr/$name" "$1/$name"; done
  while read -r file; do
    dpkg-deb --fsys-tarfile "$file" | tar -x --keep-directory-symlink --no-same-owner -C "$1" \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*'
  done
}
