// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
@testable import Agent
import HCI
import JSON
import Manifest
import Setup
import TestSupport
import Testing

@Suite("Descriptors in the calls of apps")
struct DescriptorFieldsTests {
  private func object(_ text: String) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(Array(text.utf8).span) else {
      preconditionFailure("the test writes an object")
    }
    return object
  }

  private func failure(_ text: String) throws -> SetupError? {
    let object = try object(text)
    do throws(SetupError) {
      _ = try DescriptorFields.read(object, at: "items[0].descriptor")
      return nil
    } catch {
      return error
    }
  }

  private static let everything = """
    {"bluetoothCompanyIdentifier":3822,"bluetoothManufacturerDataBlob":"a55a0010",\
    "bluetoothManufacturerDataMask":"ffff00f0","bluetoothServiceUUID":"fe59",\
    "bluetoothServiceDataBlob":"01","bluetoothServiceDataMask":"0f",\
    "bluetoothNameSubstring":"Lumo","bluetoothNameSubstringCompareOptions":9,"bluetoothRange":10,\
    "ssid":"Lumo-1","wifiAwareServiceName":"_x._tcp","wifiAwareServiceRole":20,\
    "wifiAwareModelNameMatch":{"string":"M","compareOptions":9},"wifiAwareVendorNameMatch":{"string":"V"},\
    "supportedOptions":6}
    """

  @Test("Every field is read, and is written as it was read")
  func roundTrip() throws {
    let descriptor = try DescriptorFields.read(object(Self.everything), at: "")
    #expect(descriptor.companyIdentifier == 0x0EEE)
    #expect(descriptor.manufacturerData?.mask == [0xFF, 0xFF, 0x00, 0xF0])
    #expect(descriptor.serviceUUID == BluetoothUUID(short: 0xFE59))
    #expect(descriptor.nameCompareOptions == [.caseInsensitive, .anchored])
    #expect(descriptor.range == .immediate)
    #expect(descriptor.wifiAware?.role == .publisher)
    #expect(descriptor.wifiAware?.vendorName == WiFiAwareService.NameMatch(text: [0x56]))
    #expect(descriptor.supportedOptions == [.bluetoothPairingLE, .bluetoothTransportBridging])
    var json = JSONWriter()
    DescriptorLine(descriptor).write(to: &json)
    #expect(String(decoding: json.takeBytes(), as: UTF8.self) == Self.everything + "\n")
  }

  @Test("A network's name that is no UTF-8 is read and written as its bytes")
  func networkBytes() throws {
    let descriptor = try DescriptorFields.read(object(#"{"ssid":"Caf�","ssidHex":"436166e9"}"#), at: "")
    #expect(descriptor.ssid == [0x43, 0x61, 0x66, 0xE9])
    var json = JSONWriter()
    DescriptorLine(descriptor).write(to: &json)
    #expect(
      String(decoding: json.takeBytes(), as: UTF8.self) == #"{"ssid":"Caf�","ssidHex":"436166e9"}"# + "\n")
    #expect(try failure(#"{"ssidHex":"4"}"#)?.field == "items[0].descriptor.ssidHex")
  }

  @Test("Company 0 is a company, and an absent field is no clause")
  func zero() throws {
    #expect(
      try DescriptorFields.read(object(#"{"bluetoothCompanyIdentifier":0}"#), at: "").companyIdentifier == 0)
    #expect(try DescriptorFields.read(object("{}"), at: "") == DiscoveryDescriptor())
    #expect(try DescriptorFields.read(object(#"{"ssid":null}"#), at: "").ssid == nil)
  }

  @Test(
    "Descriptors that crash AccessorySetupKit are invalid requests that name the field",
    arguments: [
      (#"{"bluetoothCompanyIdentifier":65536}"#, "bluetoothCompanyIdentifier"),
      (#"{"bluetoothCompanyIdentifier":-1}"#, "bluetoothCompanyIdentifier"),
      (
        #"{"bluetoothManufacturerDataBlob":"a5","bluetoothManufacturerDataMask":"ffff"}"#,
        "bluetoothManufacturerDataMask"
      ),
      (#"{"bluetoothManufacturerDataMask":"ff"}"#, "bluetoothManufacturerDataMask"),
      (#"{"bluetoothServiceDataBlob":"a"}"#, "bluetoothServiceDataBlob"),
      (#"{"bluetoothServiceDataBlob":""}"#, "bluetoothServiceDataBlob"),
      (#"{"bluetoothServiceUUID":"lamp"}"#, "bluetoothServiceUUID"),
      (#"{"bluetoothNameSubstring":""}"#, "bluetoothNameSubstring"),
      (#"{"bluetoothNameSubstringCompareOptions":1024}"#, "bluetoothNameSubstringCompareOptions"),
      (#"{"bluetoothRange":5}"#, "bluetoothRange"),
      (#"{"ssid":""}"#, "ssid"),
      (#"{"ssidPrefix":"123456789012345678901234567890123"}"#, "ssidPrefix"),
      (#"{"supportedOptions":1}"#, "supportedOptions"),
      (#"{"wifiAwareServiceName":""}"#, "wifiAwareServiceName"),
      (#"{"wifiAwareServiceName":"a","wifiAwareServiceRole":15}"#, "wifiAwareServiceRole"),
      (#"{"wifiAwareServiceRole":20}"#, "wifiAwareServiceRole"),
      (#"{"wifiAwareModelNameMatch":{"string":"M"}}"#, "wifiAwareModelNameMatch"),
      (#"{"wifiAwareVendorNameMatch":{"string":"V"}}"#, "wifiAwareVendorNameMatch"),
      (
        #"{"wifiAwareServiceName":"a","wifiAwareModelNameMatch":{"string":""}}"#,
        "wifiAwareModelNameMatch.string"
      ),
      (
        #"{"wifiAwareServiceName":"a","wifiAwareVendorNameMatch":{"string":"V","compareOptions":1024}}"#,
        "wifiAwareVendorNameMatch.compareOptions"
      ),
    ])
  func refuses(text: String, field: String) throws {
    let failure = try #require(try failure(text))
    #expect(failure.code == .invalidRequest)
    #expect(failure.field == "items[0].descriptor.\(field)")
    #expect(!failure.reason.isEmpty && !failure.cure.isEmpty)
  }
}
