// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Stands in for UIKit's image, so that an app's items compile unchanged: a text that operators see. Nothing is opened,
/// and nothing is drawn.
open class UIImage: NSObject, @unchecked Sendable {
  /// Without an effect.
  public enum RenderingMode: Int, Sendable, BitwiseCopyable {
    case automatic, alwaysOriginal, alwaysTemplate
  }

  /// Without an effect.
  public enum SymbolWeight: Int, Sendable, BitwiseCopyable {
    case unspecified, ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
  }

  /// Without an effect.
  open class Configuration: NSObject, @unchecked Sendable {}

  /// Without an effect.
  open class SymbolConfiguration: Configuration, @unchecked Sendable {
    /// Without an effect.
    public init(pointSize: CGFloat) {}

    /// Without an effect.
    public init(pointSize: CGFloat, weight: SymbolWeight) {}

    /// Without an effect.
    public init(weight: SymbolWeight) {}
  }

  /// The image's name; nil for none.
  let text: String?

  /// No image.
  public override init() { text = nil }

  /// Never nil.
  public init?(named name: String) { text = name }

  /// Never nil.
  public init?(systemName name: String) { text = name }

  /// Never nil.
  public init?(systemName name: String, withConfiguration configuration: Configuration?) { text = name }

  /// Never nil. The file is not opened.
  public init?(contentsOfFile path: String) { text = path }

  /// Never nil, and without a text.
  public init?(data: Data) { text = nil }

  private init(text: String?) { self.text = text }

  /// The same text.
  open func withTintColor(_ color: UIColor) -> UIImage { UIImage(text: text) }

  /// The same text.
  open func withTintColor(_ color: UIColor, renderingMode: RenderingMode) -> UIImage { UIImage(text: text) }

  /// The same text.
  open func withRenderingMode(_ renderingMode: RenderingMode) -> UIImage { UIImage(text: text) }

  /// The same text.
  open func withConfiguration(_ configuration: Configuration) -> UIImage { UIImage(text: text) }

  /// Always zero.
  open var size: CGSize { .zero }
}
